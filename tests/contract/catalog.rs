//! The catalog: what somebody without the program finds out of what may be asked, and that it is true.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};

use serde_json::Value;

use crate::site::{Request, Site, until};

fn catalog(site: &Site) -> Value {
    serde_json::from_slice(&fs::read(site.path("core/catalog.json")).unwrap()).unwrap()
}

fn page(site: &Site) -> String {
    fs::read_to_string(site.path("core/catalog.md")).unwrap()
}

fn tools(catalog: &Value) -> Vec<&str> {
    catalog["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

/// Both files, each by what a replacement would change.
fn identities(site: &Site) -> Vec<(u64, i64, i64)> {
    let identity = |name: &str| {
        let found = fs::metadata(site.path(name)).unwrap();
        (found.ino(), found.mtime(), found.mtime_nsec())
    };
    ["core/catalog.json", "core/catalog.md"].map(identity).to_vec()
}

#[test]
fn every_example_of_the_catalog_is_a_request_that_would_be_carried_out() {
    let site = Site::new();
    let config = fs::read_to_string(site.path("gatepost.toml")).unwrap();
    site.configure(&format!("{config}\n[fetch]\ndestinations = [\"[2001:db8::1]:8443\", \"docs.example.org:443\"]\n"));
    site.gatepost(&["exec", "--once"]).succeeds();
    let catalog = catalog(&site);
    assert_eq!(
        tools(&catalog),
        ["csv_stats", "fail_with", "hostile_output", "line_count", "sha256_sum", "sleep_for", "sort_lines"]
    );
    let lane = catalog["lanes"].as_array().unwrap().iter().find(|lane| lane["backend"] == "fetch");
    for tool in catalog["tools"].as_array().unwrap().iter().chain(lane) {
        let request = tool["example"]["request"].as_str().unwrap_or_else(|| panic!("{tool:#}"));
        let (_, rest) = request.split_once("request_id: \"").unwrap();
        let id = rest.split('"').next().unwrap();
        let folder = site.path("outside").join(id);
        fs::create_dir_all(folder.join("in")).unwrap();
        fs::write(folder.join(format!("{id}.md")), request).unwrap();
        for input in tool["example"]["inputs"].as_array().unwrap() {
            fs::write(folder.join("in").join(input.as_str().unwrap()), "one\ntwo\n").unwrap();
        }
        let checked = site.gatepost(&["check", folder.to_str().unwrap()]).succeeds();
        assert_eq!(checked["data"]["results"][0]["reasons"], Value::Array(vec![]), "{request}");
        assert!(page(&site).contains(request), "{request}");
    }
}

#[test]
fn the_catalog_satisfies_its_published_schema() {
    let site = Site::new();
    site.manifest(
        "console",
        "[tool]\nname = \"console\"\nversion = \"1\"\ndescription = \"A console\"\nbinary = \"cat\"\n[session]\n\
         startup_command = \"cat\"\nready_pattern = \"^> \"\n[session.commands.say]\ndescription = \"Says a word\"\n\
         pattern = \"^[a-z]+$\"\n",
    );
    site.gatepost(&["exec", "--once"]).succeeds();
    let schemas = gatepost::cli::schema::published();
    let (_, schema) = schemas.iter().find(|(name, _)| *name == "catalog.schema.json").unwrap();
    let validator = jsonschema::validator_for(schema).unwrap();
    let catalog = catalog(&site);
    let faults: Vec<String> = validator.iter_errors(&catalog).map(|fault| fault.to_string()).collect();
    assert_eq!(faults, [""; 0]);
}

#[test]
fn what_is_not_changed_is_not_written_again_and_what_is_changed_is() {
    let site = Site::new();
    site.gatepost(&["exec", "--once"]).succeeds();
    let first = identities(&site);
    site.gatepost(&["exec", "--once"]).succeeds();
    assert_eq!(identities(&site), first);
    let watcher = site.watch("exec");
    until("the lock", || site.gatepost(&["status"]).succeeds()["data"]["exec"].is_string());
    site.tool("added", "", "#!/bin/sh\ntrue\n");
    until("the tool in the catalog", || tools(&catalog(&site)).contains(&"added"));
    until("the tool on the page", || page(&site).contains("\n## added\n"));
    fs::remove_file(site.path("tools/added.clad.toml")).unwrap();
    until("the tool to be gone", || !tools(&catalog(&site)).contains(&"added"));
    drop(watcher);
    assert_eq!(site.names("core"), ["catalog.json", "catalog.md", "inbound"]);
}

#[test]
fn a_manifest_that_is_wrong_is_left_out_and_logged_and_the_others_stand() {
    let site = Site::new();
    site.manifest("broken", "[tool]\nname = 1\n");
    let twin = fs::read_to_string(site.path("tools/line_count.clad.toml")).unwrap();
    fs::write(site.path("tools/twin.clad.toml"), twin).unwrap();
    let ran = site.gatepost(&["exec", "--once"]);
    let log = ran.stderr();
    assert!(log.contains("broken.clad.toml is left out of the catalog"), "{log}");
    assert!(log.contains("twin.clad.toml is left out of the catalog"), "{log}");
    ran.succeeds();
    let catalog = catalog(&site);
    let tools = tools(&catalog);
    assert!(!tools.contains(&"broken") && !tools.contains(&"line_count") && tools.contains(&"sort_lines"), "{tools:?}");
}

#[test]
fn nothing_of_a_manifest_is_more_than_text_on_the_page() {
    let site = Site::new();
    site.manifest(
        "odd",
        "[tool]\nname = \"odd\"\nversion = \"1`<b>\"\n\
         description = \"Ends |\\n\\n# A heading\\n\\n[link](https://example.org) <script>x</script> ```\"\nbinary = \"echo\"\n\
         [args.word]\ntype = \"enum\"\nallowed = [\"a\", \"`x`\", \"<i>\"]\nrequired = true\n\
         description = \"- an item \\u202e \\u001b[31m\"\n\
         [command]\nexec = [\"echo\", \"{word}\"]\n[output]\nformat = \"text\"\n[output.schema]\ntype = \"object\"\n",
    );
    site.gatepost(&["exec", "--once"]).succeeds();
    let page = page(&site);
    assert!(tools(&catalog(&site)).contains(&"odd"), "{page}");
    let acting = page.replace("\\<", "");
    assert!(!page.contains("\n# A heading") && !page.contains("](https:") && !acting.contains("<script"), "{page}");
    assert!(page.chars().all(|character| character == '\n' || !character.is_control()), "{page}");
    assert!(!page.contains('\u{202e}') && page.contains("\\u{202e}"), "{page}");
    let of_row = page.lines().find(|line| line.starts_with("| [`odd`]")).unwrap();
    assert_eq!(of_row.replace("\\|", "").matches('|').count(), 5, "{of_row}");
}

#[test]
fn a_link_in_the_place_of_the_catalog_is_replaced_and_not_written_through() {
    let site = Site::new();
    let other = site.path("other");
    fs::write(&other, "mine").unwrap();
    symlink(&other, site.path("core/catalog.md")).unwrap();
    site.gatepost(&["exec", "--once"]).succeeds();
    assert_eq!(fs::read_to_string(&other).unwrap(), "mine");
    assert!(page(&site).starts_with("# Tools of this site\n"));
}

#[test]
fn a_catalog_that_cannot_be_written_is_a_fault_and_requests_are_answered_all_the_same() {
    let site = Site::new();
    fs::create_dir_all(site.path("core/catalog.json/within")).unwrap();
    let request = Request::file("all-the-same");
    site.copy_in(&request);
    let ran = site.gatepost(&["exec", "--once"]);
    assert!(ran.stderr().contains("catalog.json"), "{}", ran.stderr());
    assert_eq!(ran.exit(), Some(1));
    site.gatepost(&["gate", "--once"]).succeeds();
    assert_eq!(site.result(&request.id).code(), "");
}
