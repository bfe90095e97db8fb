//! How much of a text looks like words: letters that follow each other as they do in writing and in names.
//!
//! No dictionary: a table of pairs of letters, counted over English prose and source code, that other European languages and
//! romanised ones mostly share. Does not know what a word means. *Security*: linear.

/// How common a pair of letters is: row the first, column the second; 0 hardly ever, 4 as often as by chance, 9 sixteen times.
const PAIRS: [&[u8; 26]; 26] = [
    b"05760250604878060878442340",
    b"50215000440500410330500040",
    b"60307106506620800547400010",
    b"51048120600301600352400020",
    b"73775740302868364988144740",
    b"50105500700400700533400010",
    b"20006013500304300351400000",
    b"60008000600020600315400000",
    b"45655550102769740577050405",
    b"00004000000000200010200000",
    b"10005000300201000030102000",
    b"61158700700602620065500050",
    b"74028020500330660042400000",
    b"70677470503304730078540030",
    b"35662330303578460857645100",
    b"70127002400600650656400040",
    b"00000000000000000000500000",
    b"71459360704256720666632050",
    b"50419025702322550268621040",
    b"70438309800431650766703060",
    b"34426320400666250766000000",
    b"60007020400000100000000000",
    b"50013005600103400430001000",
    b"30402000300000030005000000",
    b"00002000200123450044001000",
    b"10005000200000000000000000",
];

/// A run of letters that is shorter says nothing.
const RUN_MIN: usize = 4;

/// Of random letters, one run in twenty reaches this mean; of words, nineteen.
const MEAN_MIN: usize = 44;

/// How many of the bytes are in runs of letters that could be words; a capital after a small letter begins another run.
pub(super) fn word_bytes(text: &[u8]) -> usize {
    let mut total = 0;
    let mut run = 0;
    for at in 0..=text.len() {
        let here = text.get(at).copied().filter(u8::is_ascii_alphabetic);
        let is_hump = here.is_some_and(|byte| byte.is_ascii_uppercase())
            && at.checked_sub(1).and_then(|before| text.get(before)).is_some_and(u8::is_ascii_lowercase);
        if here.is_none() || is_hump {
            let letters = text.get(run..at).unwrap_or_default();
            if is_word(letters) {
                total += letters.len();
            }
            run = if is_hump { at } else { at + 1 };
        }
    }
    total
}

fn is_word(letters: &[u8]) -> bool {
    let pairs = letters.len().saturating_sub(1);
    let sum: usize = letters.windows(2).map(commonness).sum();
    letters.len() >= RUN_MIN && sum * 10 >= pairs * MEAN_MIN
}

fn commonness(pair: &[u8]) -> usize {
    let index = |byte: &u8| usize::from(byte.to_ascii_lowercase().saturating_sub(b'a'));
    let [first, second] = pair else { return 0 };
    let row = PAIRS.get(index(first));
    row.and_then(|row| row.get(index(second))).map_or(0, |digit| usize::from(digit.saturating_sub(b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_and_noise_is_not() {
        for words in ["password", "serviceAccountName", "kubernetes", "benutzername"] {
            assert_eq!(word_bytes(words.as_bytes()), words.len(), "{words}");
        }
        assert_eq!(word_bytes(b"xq7Zk2vRw9"), 0);
        assert_eq!(word_bytes(b"hgqxvzkj"), 0);
    }
}
