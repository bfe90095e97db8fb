//! Character references of HTML and XML: `&#105;`, `&#x69;`, and the names of ASCII characters and invisible ones.
//!
//! Names of other characters stay as they are. A number may lack its semicolon, as browsers allow.
//!
//! Standards: HTML, section 13.5 (named character references) and 13.2.5.80 (numeric ones).

use super::{Escape, number};

const KIND: &str = "entity";

/// Names and what they stand for.
const NAMES: &[(&str, char)] = &[
    ("amp", '&'),
    ("AMP", '&'),
    ("lt", '<'),
    ("LT", '<'),
    ("gt", '>'),
    ("GT", '>'),
    ("quot", '"'),
    ("QUOT", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("ensp", ' '),
    ("emsp", ' '),
    ("thinsp", ' '),
    ("Tab", '\t'),
    ("NewLine", '\n'),
    ("colon", ':'),
    ("semi", ';'),
    ("comma", ','),
    ("period", '.'),
    ("excl", '!'),
    ("quest", '?'),
    ("num", '#'),
    ("dollar", '$'),
    ("percnt", '%'),
    ("commat", '@'),
    ("ast", '*'),
    ("midast", '*'),
    ("plus", '+'),
    ("equals", '='),
    ("sol", '/'),
    ("bsol", '\\'),
    ("lpar", '('),
    ("rpar", ')'),
    ("lsqb", '['),
    ("lbrack", '['),
    ("rsqb", ']'),
    ("rbrack", ']'),
    ("lcub", '{'),
    ("lbrace", '{'),
    ("rcub", '}'),
    ("rbrace", '}'),
    ("lowbar", '_'),
    ("UnderBar", '_'),
    ("verbar", '|'),
    ("vert", '|'),
    ("grave", '`'),
    ("Hat", '^'),
    ("hyphen", '-'),
    ("dash", '-'),
    ("shy", '\u{ad}'),
    ("zwj", '\u{200d}'),
    ("zwnj", '\u{200c}'),
    ("ZeroWidthSpace", '\u{200b}'),
];

/// The escape at the beginning.
pub(super) fn read(bytes: &[u8]) -> Option<Escape> {
    match bytes.get(1)? {
        b'#' => numeric(bytes),
        _ => name(bytes),
    }
}

/// The most zeros before a number, which browsers pass over.
const ZEROS_MAX: usize = 32;

fn numeric(bytes: &[u8]) -> Option<Escape> {
    let (base, sign) = if matches!(bytes.get(2)?, b'x' | b'X') { (16, 3) } else { (10, 2) };
    let zeros = bytes.iter().skip(sign).take(ZEROS_MAX).take_while(|byte| **byte == b'0').count();
    let (scalar, count) = number(bytes.get(sign + zeros..)?, base, 7);
    let end = sign + zeros + count;
    let semicolon = usize::from(bytes.get(end) == Some(&b';'));
    (zeros + count > 0).then(|| Escape::of_scalar(end + semicolon, scalar, KIND))?
}

fn name(bytes: &[u8]) -> Option<Escape> {
    let end = bytes.iter().take(18).position(|byte| *byte == b';')?;
    let name = bytes.get(1..end)?;
    let (_, character) = NAMES.iter().find(|(known, _)| known.as_bytes() == name)?;
    Escape::of_scalar(end + 1, u32::from(*character), KIND)
}
