//! Letters that stand apart with the same sign between all of them: a space, a star, a line end, an emoji, a cell border.

/// The fewest letters.
const LETTERS_MIN: usize = 4;
/// The longest sign between two of them, and the longest text that is read.
const SIGN_BYTES_MAX: usize = 8;
const TEXT_BYTES_MAX: usize = 4096;

/// The letters at the beginning, joined, and how many bytes they take.
pub(super) fn read(text: &[u8]) -> Option<(usize, Vec<u8>)> {
    let first = *text.first().filter(|first| first.is_ascii_alphanumeric())?;
    let rest = text.get(1..)?;
    let length = rest.iter().take(SIGN_BYTES_MAX + 1).position(u8::is_ascii_alphanumeric)?;
    let sign = rest.get(..length).filter(|sign| !sign.is_empty())?;
    let gap = *sign.first()?;
    let mut letters = vec![first];
    let mut count = 1;
    // The place of the sign behind the last letter.
    let mut at = 1;
    while at < TEXT_BYTES_MAX
        && let Some(after) = text.get(at..).and_then(|rest| rest.strip_prefix(sign))
        && let Some(&next) = after.first()
    {
        let is_followed = after.get(1..).is_some_and(|more| more.starts_with(sign));
        let is_alone = after.get(1).is_none_or(|more| !more.is_ascii_alphanumeric());
        at += sign.len();
        if next == gap || next == b' ' || next == b'\n' {
            // A word ends: the sign stands there again, or a space.
            if !after.iter().take(sign.len() + 2).any(u8::is_ascii_alphanumeric) {
                break;
            }
            letters.push(b' ');
            let white = after.iter().take_while(|byte| **byte == next || **byte == b' ').count();
            at += if is_followed { 1 } else { white };
            if is_followed {
                continue;
            }
            let Some(letter) = text.get(at).filter(|letter| letter.is_ascii_alphanumeric()) else { break };
            if !text.get(at + 1..).is_some_and(|more| more.starts_with(sign)) {
                break;
            }
            letters.push(*letter);
            at += 1;
            count += 1;
        } else if next.is_ascii_graphic() && (is_followed || is_alone) {
            letters.push(next);
            count += usize::from(next.is_ascii_alphanumeric());
            at += 1;
        } else {
            at -= sign.len();
            break;
        }
    }
    (count >= LETTERS_MIN && letters.iter().filter(|letter| letter.is_ascii_alphabetic()).count() >= 3)
        .then_some((at, letters))
}
