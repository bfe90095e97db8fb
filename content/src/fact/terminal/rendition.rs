//! Whether a terminal rendition makes words unreadable: concealed, or both colours the same.
//!
//! *Security*: hostile bytes, read once. *Standards*: ECMA-48, section 8.3.117.

/// Whether the parameters of a rendition conceal, or set both colours to the same.
pub(super) fn hides(parameters: &[u8]) -> bool {
    let codes = parameters.split(|byte| matches!(byte, b';' | b':'));
    let mut codes =
        codes.map(|code| std::str::from_utf8(code).ok().and_then(|code| code.parse::<u32>().ok()).unwrap_or(0));
    let (mut front, mut back, mut conceals) = (None, None, false);
    while let Some(code) = codes.next() {
        match code {
            0 => (front, back, conceals) = (None, None, false),
            8 => conceals = true,
            28 => conceals = false,
            30..=37 => front = Some([code - 30, 0, 0]),
            90..=97 => front = Some([code - 82, 0, 0]),
            40..=47 => back = Some([code - 40, 0, 0]),
            100..=107 => back = Some([code - 92, 0, 0]),
            38 | 48 => {
                let parts = if codes.next() == Some(2) { 3 } else { 1 };
                let mut colour = [0; 3];
                colour.iter_mut().zip(codes.by_ref().take(parts)).for_each(|(part, code)| *part = code);
                *(if code == 38 { &mut front } else { &mut back }) = Some(colour);
            }
            _ => {}
        }
    }
    conceals || front.is_some() && front == back
}
