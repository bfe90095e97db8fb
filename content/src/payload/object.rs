//! Serialized objects that run code of their reader when they are read.
//!
//! *Security*: hostile bytes, in a few linear searches. *Standards*: Java Object Serialization Specification, 6.4.2; [MS-NRBF]
//! 2.6.1; Python `pickletools`; Ruby, `Marshal`.

use memchr::memmem;

use super::kind::Kind;

/// Modules of Python of which no honest pickle calls anything.
const MODULES: &[&[u8]] = &[
    b"posix",
    b"nt",
    b"os",
    b"subprocess",
    b"builtins",
    b"__builtin__",
    b"sys",
    b"pty",
    b"commands",
    b"runpy",
    b"importlib",
    b"socket",
    b"shutil",
    b"ctypes",
    b"webbrowser",
    b"marshal",
    b"platform",
    b"code",
    b"timeit",
    b"asyncio",
    b"multiprocessing",
    b"urllib.request",
];

pub(super) fn at_start(bytes: &[u8]) -> Option<Kind> {
    let is_object = match bytes {
        [0xAC, 0xED, 0, 5, 0x70..=0x7E, ..]
        | [0, 1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0, ..]
        | [4, 8, b'o' | b'U' | b'u' | b'C' | b'c' | b'e', b':' | b'I' | b'o' | b'c', ..] => true,
        [0x80, 2..=5, rest @ ..] => is_pickled_call(rest),
        _ => false,
    };
    is_object.then_some(Kind::Serialized)
}

/// Whether a pickle names a function of such a module and calls something.
fn is_pickled_call(rest: &[u8]) -> bool {
    let calls = rest.iter().any(|byte| matches!(byte, b'R' | 0x81 | 0x92));
    let is_named_on_stack = rest.contains(&0x93);
    let names = |module: &&[u8]| {
        memmem::find_iter(rest, module).take(64).any(|at| {
            let before = at.checked_sub(1).and_then(|at| rest.get(at)).copied().unwrap_or(0);
            let behind = rest.get(at + module.len()).copied().unwrap_or(0);
            let is_counted = is_named_on_stack && usize::from(before) == module.len();
            (matches!(before, b'c' | b'i') && matches!(behind, b'\n' | b'\r'))
                || (is_counted && matches!(behind, 0x94 | 0x8C | b'q' | b'h' | 0x93))
        })
    };
    calls && MODULES.iter().any(names)
}

#[cfg(test)]
mod tests {
    use super::{Kind, at_start};

    #[test]
    fn a_pickle_that_calls_a_shell_is_recognised_in_either_form() {
        assert_eq!(at_start(b"\x80\x02cposix\nsystem\nq\0X\x02\0\0\0idq\x01\x85q\x02Rq\x03."), Some(Kind::Serialized));
        assert_eq!(at_start(b"\x80\x04\x95\x1d\0\0\0\0\0\0\0\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x02id\x94\x85\x94R\x94."), Some(Kind::Serialized));
    }

    #[test]
    fn a_pickle_of_data_is_not() {
        assert_eq!(at_start(b"\x80\x04\x95\x0f\0\0\0\0\0\0\0}\x94\x8c\x02os\x94K\x01s."), None);
    }

    #[test]
    fn objects_of_java_and_dotnet_are_recognised_by_their_heads() {
        assert_eq!(at_start(b"\xAC\xED\0\x05sr\0\x11java.util.HashMap"), Some(Kind::Serialized));
        assert_eq!(at_start(b"\0\x01\0\0\0\xFF\xFF\xFF\xFF\x01\0\0\0\0\0\0\0"), Some(Kind::Serialized));
        assert_eq!(at_start(b"\xAC\xED\0\x05 text"), None);
    }
}
