//! The page that explains a verdict to a person.

use gatepost_documents::text;
use gatepost_documents::verdict::reasons_markdown;

use crate::bundle_folder::Files;

#[test]
fn a_refusal_states_what_where_why_and_what_to_do_next() {
    let mut files = Files::of("success");
    files.put("artifacts/stdout.txt", b"!".to_vec());
    let page = reasons_markdown(&files.judge());
    assert!(page.starts_with("# Rejected\n\nThe gate judged this bundle at 2027-01-15T08:00:00Z. "), "{page}");
    for part in ["`hash_mismatch`\n\n- What: ", "- Where: `evidence.json`\n", "- Why it rejects: ", "- Next: "] {
        assert!(page.contains(part), "{part:?} in {page}");
    }
}

#[test]
fn foreign_text_stays_text_on_the_page() {
    let mut files = Files::of("success");
    files.rename("TS-`<script>alert(1)</script>\n# Accepted\u{202e}");
    let page = reasons_markdown(&files.judge());
    assert_eq!(page.lines().filter(|line| line.starts_with("# ")).collect::<Vec<_>>(), ["# Rejected"]);
    assert!(text::check(page.as_bytes(), "").is_ok(), "{page}");
    let html = |event: &pulldown_cmark::Event<'_>| {
        matches!(event, pulldown_cmark::Event::Html(_) | pulldown_cmark::Event::InlineHtml(_))
    };
    assert!(!pulldown_cmark::Parser::new(&page).any(|event| html(&event)), "{page}");
}

#[test]
fn an_accepted_bundle_has_a_page_too() {
    let page = reasons_markdown(&Files::of("refusal").judge());
    assert!(page.starts_with("# Accepted\n"), "{page}");
}
