//! Drops that are written slowly, into the inbox itself: they wait for the rest, and a beginning alone costs no id.

use std::fs::{self, OpenOptions};
use std::io::Write;

use crate::drop::drops::beside_a_good_one;
use crate::site::{Request, Site, until};

/// Lets the watcher look at the inbox often enough to take whatever it takes at once.
fn another_is_answered(site: &Site, slug: &str) {
    let neighbour = Request::file(slug);
    site.copy_in(&neighbour);
    until("the neighbour's answer", || !site.results(&neighbour.id).is_empty());
}

#[test]
fn a_drop_that_looks_unfinished_waits_for_the_rest() {
    let site = Site::with_config("[inbox]\nsettle_ms = 20\nunfinished_ms = 600000\nscan_interval_ms = 20\n");
    let _watcher = site.watch("up");
    site.is_watched();
    let inbox = |name: &str| site.path("inbox").join(name);
    let cut = Request::file("cut");
    let (markdown, json) = (cut.markdown(), "{\"request_id\": \"TR-20260209-160501Z-x\", \"purpose\"");
    fs::write(inbox(&cut.name()), &markdown[..150]).unwrap();
    fs::write(inbox("TR-20260209-160501Z-json.json"), json).unwrap();
    fs::write(inbox("TR-20260209-160501Z-nul.md"), [0; 4096]).unwrap();
    fs::create_dir(inbox("TR-20260209-160501Z-folder")).unwrap();
    let without_input = Request::file("input").input("data", b"one\n");
    site.copy_in(&without_input);
    let data = inbox(&without_input.id).join("in/data");
    fs::remove_file(&data).unwrap();
    for slug in ["first", "second"] {
        another_is_answered(&site, slug);
    }
    assert_eq!(site.names("quarantine"), [""; 0]);
    assert_eq!(site.names("inbox").len(), 5, "{:?}", site.names("inbox"));
    fs::write(&data, "on").unwrap();
    another_is_answered(&site, "third");
    assert!(site.results(&without_input.id).is_empty());
    fs::write(&data, "one\n").unwrap();
    OpenOptions::new().append(true).open(inbox(&cut.name())).unwrap().write_all(&markdown.as_bytes()[150..]).unwrap();
    for request in [&cut, &without_input] {
        until("the answer", || !site.results(&request.id).is_empty());
        assert_eq!(site.result(&request.id).code(), "", "{}", request.id);
    }
}

#[test]
fn a_drop_that_stays_unfinished_is_refused_and_its_id_stays_free() {
    let cut = Request::file("cut");
    let site = beside_a_good_one(|inbox| fs::write(inbox.join(cut.name()), &cut.markdown()[..150]).unwrap());
    assert_eq!(site.reasons(&cut.id), ["request_unfinished", "front_matter_unclosed"]);
    assert!(site.results(&cut.id).is_empty());
    site.copy_in(&cut);
    site.up();
    assert_eq!(site.result(&cut.id).code(), "");
    // Of a whole document whose inputs do not come the requester learns it in the answer.
    let without_input = Request::file("input").input("data", b"one\n");
    let site = beside_a_good_one(|inbox| {
        without_input.write(inbox);
        fs::remove_file(inbox.join(&without_input.id).join("in/data")).unwrap();
    });
    assert_eq!(site.result(&without_input.id).reasons(), ["input_missing"]);
}

#[test]
fn what_is_left_of_a_claimed_drop_after_an_interrupted_removal_is_known_at_once() {
    let site = Site::with_config("[inbox]\nsettle_ms = 0\nunfinished_ms = 600000\n");
    let request = Request::file("cut").input("data", b"one\n");
    site.copy_in(&request);
    site.up();
    assert_eq!(site.result(&request.id).code(), "");
    let inbox = site.path("inbox");
    let dropped = inbox.join(request.write(&inbox));
    fs::remove_dir_all(dropped.join("in")).unwrap();
    fs::rename(&dropped, inbox.join(format!(".claimed-0123abcd-{}", request.id))).unwrap();
    site.up();
    assert_eq!([site.names("inbox"), site.names("quarantine")], [[""; 0]; 2]);
    assert_eq!(site.results(&request.id).len(), 1);
}
