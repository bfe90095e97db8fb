//! Letters of other scripts that look like Latin ones.
//!
//! Only those that most typefaces draw alike are listed; letters that merely resemble one another are not.
//! *Standards*: UTS 39, section 4, confusables, of which this is the part that imitates A to Z.

use std::sync::LazyLock;

/// Characters in pairs: the imitation and the Latin letter it stands for.
const PAIRS: &str = "\
    аaеeоoрpсcуyхxіiјjѕsһhԁdԛqԝwѵvАAВBЕEЗ3КKМMНHОOРPСCТTХXУYІIЈJЅSҮYԌGԚQԜWгrкkмmтtпnьbвbнhёeїiөoҽeӏlӀI\
    αaοoρpυuνvιiκkτtχxεeγyηnωwσoϲcϳjΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXϹCϺM\
    օoհhոnսuցgսuքfզqԱUՍUՏSԼLՕO\
    ᎪAᏴBᏟCᎠDᎬEᏀGᎻHᎥiᎫJᏦKᏞLᎷMᏢPᏒRᏚSᎢTᏙVᎳWᏃZ\
    ꓐBꓚCꓓDꓰEꓝFꓖGꓧHꓲIꓙJꓗKꓡLꓟMꓠNꓳOꓑPꓣRꓢSꓔTꓴUꓦVꓪWꓫXꓬYꓜZꓮA\
    ⲀAⲂBⲈEⲎHⲒIⲔKⲘMⲚNⲞOⲢPⲤCⲦTⲨYⲬXⲟoⲣpⲥcⲓiⲭx\
    ℬBℰEℱFℋHℐIℒLℳMℛRℂCℍHℕNℙPℚQℝRℤZℯeℊgℴoℓl\
    ⅠIⅤVⅩXⅬLⅭCⅮDⅯMⅰiⅴvⅹxⅼlⅽcⅾdⅿm\
    ıiȷjɑaɡgɩiʋvƖIꞌ'ſsɪiʏyʀrʟlɴnᴀaᴄcᴅdᴇeᴊjᴋkᴍmᴏoᴘpᴛtᴜuᴠvᴡwᴢzʙbɢgʜhꜱsꜰf";

/// The Latin letter, digit or sign that a character is drawn like or is a styled form of; `None` for ASCII and for others.
pub(crate) fn latin(character: char) -> Option<char> {
    if character.is_ascii() {
        return None;
    }
    let scalar = character as u32;
    match scalar {
        0xFF01..=0xFF5E => char::from_u32(scalar - 0xFF01 + 0x21),
        0x1D400..=0x1D6A3 => letter((scalar - 0x1D400) % 52),
        0x1D7CE..=0x1D7FF => char::from_u32((scalar - 0x1D7CE) % 10 + 0x30),
        0x24B6..=0x24E9 => letter(scalar - 0x24B6),
        0x1F130..=0x1F149 => letter(scalar - 0x1F130),
        0x1F150..=0x1F169 => letter(scalar - 0x1F150),
        0x1F170..=0x1F189 => letter(scalar - 0x1F170),
        0x2070 => Some('0'),
        _ => {
            let at = SORTED.binary_search_by_key(&character, |(from, _)| *from).ok()?;
            SORTED.get(at).map(|(_, to)| *to)
        }
    }
}

/// The pairs by their imitation; of several for one the first.
static SORTED: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    let mut pairs = PAIRS.chars();
    let mut sorted: Vec<_> = std::iter::from_fn(|| Some((pairs.next()?, pairs.next()?))).collect();
    sorted.sort_by_key(|(from, _)| *from);
    sorted.dedup_by_key(|(from, _)| *from);
    sorted
});

/// The letters A to Z and then a to z, by number.
fn letter(index: u32) -> Option<char> {
    char::from_u32(if index < 26 { index + 0x41 } else { index - 26 + 0x61 })
}

/// A Cyrillic, Greek or Armenian letter that is drawn exactly like a Latin one and is no symbol of a science beside Latin letters.
pub(crate) fn is_double(character: char) -> bool {
    "аеорсухіјѕһԁԛԝѵАВЕКМНОРСТХУІЈЅҮԌԚԜӏӀορυνΑΒΕΖΗΙΚΜΝΟΡΤΥΧϲϳϹօոսց".contains(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_styles_and_widths_lead_to_the_latin_letter() {
        for (from, to) in [
            ('\u{430}', 'a'),
            ('\u{ff35}', 'U'),
            ('\u{1d414}', 'U'),
            ('\u{24e4}', 'u'),
            ('\u{3bf}', 'o'),
            ('\u{1d1c}', 'u'),
        ] {
            assert_eq!(latin(from), Some(to));
        }
    }

    #[test]
    fn letters_of_their_own_have_no_double() {
        for other in ['a', '\u{436}', '\u{3c8}', '\u{fc}', '\u{4e2d}'] {
            assert_eq!(latin(other), None);
        }
    }
}
