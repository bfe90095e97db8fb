//! Letters that look like Latin ones, and characters that are not seen.
//!
//! Standards: UTS #39, section 4 (the facts; the choice is ours: whole letters that are read as the Latin one in running text).

/// Whether a character shows nothing and separates nothing.
pub(super) const fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{80}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}'
            | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// The ASCII form of quotation marks, dashes and slashes.
pub(super) const fn punctuation(character: char) -> Option<char> {
    Some(match character {
        '\u{2018}'..='\u{201b}' | '\u{2b9}' | '\u{2bc}' | '\u{2032}' | '\u{2039}' | '\u{203a}' => '\'',
        '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{ab}' | '\u{bb}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2043}' | '\u{fe58}' => '-',
        '\u{2044}' | '\u{2215}' | '\u{29f8}' => '/',
        '\u{2217}' | '\u{204e}' => '*',
        '\u{a789}' | '\u{2236}' => ':',
        _ => return None,
    })
}

/// The letter in a box, a circle, brackets or a flag, and the letter that is shown upside down.
pub(super) fn enclosed(character: char) -> Option<char> {
    let scalar = u32::from(character);
    let (first, letter) = match scalar {
        0x1F110..=0x1F129 => (0x1F110, 'A'),
        0x1F130..=0x1F149 => (0x1F130, 'A'),
        0x1F150..=0x1F169 => (0x1F150, 'A'),
        0x1F170..=0x1F189 => (0x1F170, 'A'),
        0x1F1E6..=0x1F1FF => (0x1F1E6, 'A'),
        0x249C..=0x24B5 => (0x249C, 'a'),
        _ => return None,
    };
    char::from_u32(u32::from(letter) + scalar - first)
}

/// Whether a letter belongs to a script whose letters are partly like Latin ones.
pub(super) const fn is_of_kin_script(character: char) -> bool {
    matches!(
        character,
        '\u{370}'..='\u{52f}' | '\u{531}'..='\u{589}' | '\u{13a0}'..='\u{13fd}' | '\u{1f00}'..='\u{1fff}'
            | '\u{ab70}'..='\u{abbf}' | '\u{2c80}'..='\u{2cff}'
    )
}

/// The Latin letter that a lower-case letter looks like, itself or in upper case: of Cyrillic, Greek, Armenian, Cherokee,
/// the letters of phonetics, and small capitals, in this order.
pub(super) const fn latin(character: char) -> Option<char> {
    Some(match character {
        'а' | 'ӑ' | 'ӓ' | 'α' | 'ά' | 'ꭺ' | 'ᴀ' | 'ɑ' | 'ɐ' | 'ⱥ' => 'a',
        'ь' | 'ъ' | 'в' | 'β' | 'ꮟ' | 'ʙ' | 'ɓ' | 'ƀ' => 'b',
        'с' | 'ҫ' | 'ϲ' | 'ꮯ' | 'ᴄ' | 'ȼ' | 'ƈ' | 'ɔ' => 'c',
        'ԁ' | 'ꭰ' | 'ᴅ' | 'ɗ' | 'đ' | 'ɖ' => 'd',
        'е' | 'ё' | 'ѐ' | 'ҽ' | 'є' | 'ε' | 'έ' | 'ꭼ' | 'ᴇ' | 'ɇ' | 'ǝ' | 'ə' => 'e',
        'ғ' | 'ֆ' | 'ꜰ' | 'ƒ' => 'f',
        'ԍ' | 'ց' | 'ꮐ' | 'ɢ' | 'ɡ' | 'ɠ' | 'ǥ' => 'g',
        'һ' | 'ћ' | 'ҥ' | 'н' | 'հ' | 'ꮋ' | 'ʜ' | 'ɦ' | 'ħ' => 'h',
        'і' | 'ї' | 'ӏ' | 'ι' | 'ί' | 'ϊ' | 'ꭵ' | 'ɪ' | 'ı' | 'ɩ' | 'ɨ' => 'i',
        'ј' | 'ϳ' | 'ꭻ' | 'ᴊ' | 'ȷ' | 'ɉ' | 'ʝ' => 'j',
        'к' | 'қ' | 'ҝ' | 'κ' | 'ꮶ' | 'ᴋ' | 'ƙ' => 'k',
        'ꮮ' | 'ʟ' | 'ł' | 'ɫ' | 'ƚ' => 'l',
        'м' | 'ꮇ' | 'ᴍ' | 'ɱ' => 'm',
        'п' | 'η' | 'ή' | 'ո' | 'ɴ' | 'ɲ' | 'ŋ' | 'ƞ' => 'n',
        'о' | 'ӧ' | 'ө' | 'ο' | 'ό' | 'σ' | 'օ' | 'ᴏ' | 'ø' | 'ɵ' => 'o',
        'р' | 'ҏ' | 'ρ' | 'ք' | 'ꮲ' | 'ᴘ' | 'ƥ' => 'p',
        'ԛ' | 'զ' | 'ꞯ' | 'ʠ' => 'q',
        'г' | 'ꭱ' | 'ʀ' | 'ɍ' | 'ɾ' => 'r',
        'ѕ' | 'ꮪ' | 'ꜱ' | 'ʂ' => 's',
        'т' | 'τ' | 'ꭲ' | 'ᴛ' | 'ŧ' | 'ƭ' | 'ʈ' => 't',
        'ц' | 'μ' | 'υ' | 'ύ' | 'ϋ' | 'ս' | 'ᴜ' | 'ʉ' => 'u',
        'ѵ' | 'ν' | 'ꮩ' | 'ᴠ' | 'ʋ' => 'v',
        'ԝ' | 'ѡ' | 'ω' | 'ώ' | 'ա' | 'ꮃ' | 'ᴡ' | 'ʍ' => 'w',
        'х' | 'ҳ' | 'χ' => 'x',
        'у' | 'ү' | 'ў' | 'γ' | 'ʏ' | 'ɏ' | 'ƴ' => 'y',
        'ζ' | 'ꮓ' | 'ᴢ' | 'ƶ' | 'ʐ' | 'ȥ' => 'z',
        _ => return None,
    })
}
