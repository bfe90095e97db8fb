//! The name of a signature that was dropped by itself: `TR-….md.sig`, or `TR-….md.<label>.sig` where there are several.

use std::ffi::OsStr;

use gatepost_documents::id::RequestId;

/// The request that a signature's name names.
pub fn request_id(name: &OsStr) -> Option<RequestId> {
    let name = name.to_str()?.strip_suffix(".sig")?;
    // The label may be absent; a slug may contain dots too.
    let ends = [name, name.rsplit_once('.')?.0];
    let stem = ends.into_iter().find_map(|name| name.strip_suffix(".md").or(name.strip_suffix(".json")))?;
    RequestId::parse(stem).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_named_after_its_request_and_perhaps_after_whose_it_is() {
        for (name, id) in [
            ("TR-20260209-160501Z-a.md.sig", Some("TR-20260209-160501Z-a")),
            ("TR-20260209-160501Z-a.json.sig", Some("TR-20260209-160501Z-a")),
            ("TR-20260209-160501Z-a.b.md.alice.sig", Some("TR-20260209-160501Z-a.b")),
            ("TR-20260209-160501Z-a.md.md.sig", Some("TR-20260209-160501Z-a.md")),
            ("TR-20260209-160501Z-a.sig", None),
            ("TR-20260209-160501Z-a.md", None),
            ("x.md.sig", None),
        ] {
            assert_eq!(request_id(OsStr::new(name)).as_ref().map(RequestId::as_str), id, "{name}");
        }
    }
}
