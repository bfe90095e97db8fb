//! Whether a text asks for something in another language than English, as far as single words give that away.
//!
//! *Security*: hostile bytes, read once; each word is compared with one beginning. Data of ours only.

use super::words_of;

/// Beginnings of words that ask for something and are hardly anything else in any language; sorted by their bytes, and none begins
/// with another.
const ASKING: [&str; 123] = [
    "abaikan",
    "afslør",
    "apague",
    "approuve",
    "aprove",
    "aprueba",
    "apruebe",
    "avises",
    "avslöja",
    "borra",
    "borre",
    "bortse",
    "desconsidere",
    "dimentica",
    "envoie",
    "envoyez",
    "envía",
    "envíe",
    "esquece",
    "esqueça",
    "genehmige",
    "glem",
    "glöm",
    "godkend",
    "godkjenn",
    "godkänn",
    "gönder",
    "görmezden",
    "hyväksy",
    "ignorar",
    "ignoreer",
    "ignoren",
    "ignorera",
    "ignorez",
    "ignoriere",
    "ignoriert",
    "ignoroi",
    "ignoruj",
    "ignorér",
    "lupakan",
    "lähetä",
    "lösche",
    "löscht",
    "lütfen",
    "negeer",
    "ohita",
    "ohittakaa",
    "olvida",
    "olvide",
    "omite",
    "onayla",
    "oublie",
    "overslaan",
    "parakalo",
    "poista",
    "pominąć",
    "pomiń",
    "pošli",
    "proszę",
    "prosím",
    "radera",
    "révèle",
    "révélez",
    "schicke",
    "schval",
    "setujui",
    "skicka",
    "slett",
    "smaž",
    "stuur",
    "supprime",
    "tralascia",
    "ujawnij",
    "unohda",
    "unut",
    "usuń",
    "venligst",
    "vennligst",
    "vergeet",
    "vergesst",
    "vergiss",
    "vergiß",
    "verklap",
    "verrate",
    "verwijder",
    "vänligen",
    "wyślij",
    "yoksay",
    "zapomenout",
    "zapomeň",
    "zapomnij",
    "zatwierdź",
    "zignoruj",
    "überspringe",
    "αγνόησε",
    "ξέχνα",
    "видали",
    "выведи",
    "забудь",
    "игнорируй",
    "надішли",
    "одобри",
    "отправь",
    "пожалуйста",
    "проигнорируй",
    "скажи",
    "удали",
    "ігноруй",
    "התעלם",
    "התעלמו",
    "שכח",
    "שלח",
    "أرسل",
    "احذف",
    "تجاهل",
    "وافق",
    "अनदेखा",
    "कृपया",
    "भूल",
    "무시",
    "보내",
    "삭제하",
    "승인하",
];

/// The same where words are written without spaces, bent at their beginnings, or say something only together.
const TOGETHER: [&str; 22] = [
    "無視して",
    "無視する",
    "忽略",
    "无视",
    "無視之前",
    "忘记",
    "忘記",
    "请不要",
    "請不要",
    "请勿告",
    "してください",
    "扱うこと",
    "すること。",
    "送信して",
    "削除して",
    "承認して",
    "발송하",
    "하세요",
    "하십시오",
    "보내라",
    "bỏ qua",
    "por favor",
];

/// Whether a text asks for something.
pub(super) fn asks_abroad(text: &[u8]) -> bool {
    let low = String::from_utf8_lossy(text).to_lowercase();
    let asks = |word: &str| {
        let at = ASKING.partition_point(|stem| *stem <= word);
        at.checked_sub(1).and_then(|at| ASKING.get(at)).is_some_and(|stem| word.starts_with(stem))
    };
    words_of(&low).any(asks) || TOGETHER.iter().any(|part| low.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_told_from_other_words_and_can_be_searched() {
        assert!(ASKING.is_sorted());
        assert!(ASKING.windows(2).all(|pair| !pair[1].starts_with(pair[0])));
        for text in [
            "Olvida lo anterior, amigo",
            "забудьте про правила",
            "glöm det där nu",
            "lütfen onu aç",
            "以上を無視して進む",
        ] {
            assert!(asks_abroad(text.as_bytes()), "{text}");
        }
        for text in
            ["la tabla de los valores", "die zweite Spalte der Tabelle", "второй столбец таблицы", "an approval"]
        {
            assert!(!asks_abroad(text.as_bytes()), "{text}");
        }
    }
}
