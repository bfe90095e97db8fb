//! The kind of a character: without a shape, changing the direction, or of a script that needs such ones.
//!
//! *Standards*: Unicode 16, section 23 and the properties `Default_Ignorable_Code_Point`, `Bidi_Class` and `Joining_Type`.

/// Characters without a shape and width, but for those that set the direction of what follows.
pub(crate) const fn is_unseen(character: char) -> bool {
    matches!(
        character as u32,
        0x00AD | 0x034F | 0x061C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F | 0x2060..=0x2065
            | 0x206A..=0x206F | 0x2800 | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB | 0x1D173..=0x1D17A
            | 0x1BCA0..=0x1BCA3 | 0xE0000..=0xE0FFF
    )
}

/// Variation selectors of the first set, and those of Mongolian.
pub(super) const fn is_selector(character: char) -> bool {
    matches!(character as u32, 0xFE00..=0xFE0F | 0x180B..=0x180D | 0x180F)
}

/// Embeddings, overrides and isolates.
pub(super) const fn is_turning(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202b}' | '\u{202d}'..='\u{202e}' | '\u{2066}'..='\u{2068}')
}

/// Letters that are written from right to left.
pub(super) const fn is_rtl(character: char) -> bool {
    matches!(
        character as u32,
        0x0590..=0x061B | 0x061D..=0x08FF | 0x20AA | 0xFB1D..=0xFDFF | 0xFE70..=0xFEFC | 0x10800..=0x10FFF | 0x1E800..=0x1EFFF
    )
}

/// Scripts whose letters change their form beside a joiner, or that have an empty pattern: Braille.
pub(super) const fn is_joining(character: char) -> bool {
    matches!(
        character as u32,
        0x0590..=0x0E00 | 0x0F00..=0x109F | 0x1780..=0x18AF | 0x1B00..=0x1CFF | 0x2801..=0x28FF | 0xA800..=0xABFF | 0xFB50..=0xFDFF | 0x10A00..=0x11FFF
    )
}

/// Scripts that are written without spaces.
pub(super) const fn is_unspaced(character: char) -> bool {
    matches!(
        character as u32,
        0x0E00..=0x0FFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x1980..=0x1AAF | 0x2E80..=0xA4CF | 0xAC00..=0xD7FF | 0xF900..=0xFAFF
            | 0xFF00..=0xFFEF
    )
}
