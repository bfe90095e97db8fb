//! Whether declarations of a style make what they apply to invisible.
//!
//! *Security*: hostile bytes, read once. *Standards*: CSS 2.2, sections 8 to 11, 14 and 15; CSS Color 4; CSS Masking 1.

use super::colour::{colour, number};

/// The most declarations that are read.
const PAIRS_MAX: usize = 64;

/// Whether these declarations (`color:#fff;opacity:0`) hide words.
pub(super) fn hides(declarations: &[u8]) -> bool {
    let pairs = pairs(declarations);
    pairs.iter().any(|(name, value)| hides_alone(name, value)) || hides_together(&pairs)
}

/// Whether they hide words in a way that no page needs for its menus and its readers of screens: small, pale or turned away.
pub(super) fn is_covert(declarations: &[u8]) -> bool {
    const USUAL: [&str; 11] = [
        "display",
        "visibility",
        "opacity",
        "content-visibility",
        "left",
        "top",
        "text-indent",
        "clip",
        "clip-path",
        "z-index",
        "contain",
    ];
    let pairs = pairs(declarations);
    let meets = |name: &str| pairs.iter().rev().find(|(other, _)| other == name).map(|(_, value)| value.as_str());
    // What is not displayed at all is often made small besides, for those mail readers that do not know better.
    if pairs.iter().any(|(name, value)| name == "display" && value == "none") {
        return false;
    }
    pairs.iter().any(|(name, value)| !USUAL.contains(&name.as_str()) && hides_alone(name, value))
        || colours_meet(meets("color"), meets("background-color").or(meets("background")))
}

/// Whether they take words off the page altogether, as pages do with what they show when it is time.
pub(super) fn is_put_off(declarations: &[u8]) -> bool {
    pairs(declarations).iter().any(|(name, value)| {
        matches!(name.as_str(), "display" | "visibility" | "content-visibility") && hides_alone(name, value)
    })
}

/// The names and values of declarations, as they are read: escapes undone, variables put in.
fn pairs(declarations: &[u8]) -> Vec<(String, String)> {
    let text = without_comments(&unescaped(&String::from_utf8_lossy(declarations)).to_lowercase());
    // An object of a program holds the same, with a comma between.
    let is_object = text.trim_start().starts_with('{');
    let trimmed: &[char] = if is_object { &['"', '\'', '`', '}'] } else { &[] };
    let mut pairs: Vec<(String, String)> = text
        .split(if is_object { ',' } else { ';' })
        .filter_map(|pair| pair.split_once(':'))
        .map(|(name, value)| (plain(name), plain(value).replace("!important", "")))
        .map(|(name, value)| (name.trim_matches(['"', '\'', '{']).to_owned(), value.trim_matches(trimmed).to_owned()))
        .map(|(name, value)| (if is_object { hyphened(&name) } else { name }, value))
        .take(PAIRS_MAX)
        .collect();
    let variables: Vec<(String, String)> = pairs.iter().filter(|(name, _)| name.starts_with("--")).cloned().collect();
    for (_, value) in &mut pairs {
        let name = value.strip_prefix("var(").and_then(|rest| rest.split([',', ')']).next());
        let known = name.and_then(|name| variables.iter().find(|(other, _)| other == name));
        if let Some((_, known)) = known {
            value.clone_from(known);
        }
    }
    pairs
}

/// A text without the comments of style sheets, which may stand within a value.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        out.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}

/// The name of a property by the name that it has in a program, which has no hyphens; in lower case both.
fn hyphened(name: &str) -> String {
    const FIRST: [&str; 14] = [
        "background",
        "font",
        "text",
        "line",
        "clip",
        "max",
        "min",
        "margin",
        "letter",
        "z",
        "fill",
        "content",
        "word",
        "backface",
    ];
    let first = FIRST.iter().find_map(|first| Some((first, name.strip_prefix(first)?)));
    match first {
        Some((first, rest)) if !rest.is_empty() && !rest.starts_with('-') => format!("{first}-{rest}"),
        _ => name.to_owned(),
    }
}

/// A text with escapes of style sheets (`\\64 isplay`) undone.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let digits = after.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
        let code = after.get(..digits).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        if let Some(character) = code.and_then(char::from_u32).filter(char::is_ascii_graphic) {
            out.push(character);
            rest = after.get(digits..).unwrap_or_default();
            rest = rest.strip_prefix(' ').unwrap_or(rest);
        } else {
            out.push('\\');
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

/// Whether declarations hide that hide nothing each.
fn hides_together(pairs: &[(String, String)]) -> bool {
    let value = |wanted: &str| pairs.iter().rev().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
    let clipped = ["overflow", "overflow-x", "overflow-y"]
        .iter()
        .filter_map(|name| value(name))
        .any(|value| value.starts_with("hidden") || value == "clip" || value == "scroll" || value == "auto");
    let length = |name: &str| value(name).and_then(number);
    let is_nothing = |name: &str| length(name).is_some_and(|size| size <= 0.0);
    let turned = || value("transform").is_some_and(|value| value.contains("(180deg"));
    let is_few = |name: &str| {
        value(name).is_some_and(|value| value.ends_with("ch")) && length(name).is_some_and(|size| size <= 5.0)
    };
    let blends = value("mix-blend-mode").is_some_and(|mode| mode != "normal") && value("color").is_some();
    colours_meet(value("color"), value("background-color").or(value("background")))
        || (blends && value("background").or(value("background-color")).is_some())
        || (clipped && is_few("width"))
        || (is_nothing("width") && is_nothing("height"))
        || (value("backface-visibility") == Some("hidden") && turned())
        || (clipped
            && ["height", "width", "max-height", "max-width", "line-height"]
                .iter()
                .any(|name| length(name).is_some_and(|size| size <= 1.0)))
}

fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split(|character: char| character.is_whitespace() || character == '\\').collect();
    // Only the parts of a colour need what parts them.
    let is_colour = ["rgb", "hsl", "hwb", "lab", "lch", "oklab", "oklch", "color(", "color-mix(", "light-dark("]
        .iter()
        .any(|name| text.contains(name));
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(if is_colour { " " } else { "" })
}

/// Whether a sum or product comes to nothing: `calc(1 - 1)`, `calc(5 * 0)`.
fn is_nought(value: &str) -> bool {
    let Some(inner) = value.strip_prefix("calc(").map(|inner| inner.trim_end_matches(')')) else { return false };
    let two = |sign: char| inner.split_once(sign).and_then(|(one, other)| Some((number(one)?, number(other)?)));
    two('-').is_some_and(|(one, other)| one - other <= 0.05) || two('*').is_some_and(|(one, other)| one * other <= 0.05)
}

fn hides_alone(name: &str, value: &str) -> bool {
    let size = number(value);
    let at_most = |most: f64| size.is_some_and(|size| size <= most);
    let far = || {
        let enough = if value.ends_with("em") || value.ends_with("vw") || value.ends_with("vh") || value.ends_with('%')
        {
            90.0
        } else {
            400.0
        };
        let is_of_window = value.ends_with("vw") || value.ends_with("vh");
        size.is_some_and(|size| size <= -enough || size >= if is_of_window { 100.0 } else { enough * 8.0 })
    };
    match name {
        "display" => value == "none",
        "visibility" => value == "hidden" || value == "collapse",
        "content-visibility" => value == "hidden",
        "opacity" | "fill-opacity" | "-moz-opacity" => {
            at_most(if value.ends_with('%') { 5.0 } else { 0.05 }) || is_nought(value)
        }
        "filter" | "-webkit-filter" => {
            ["opacity(0", "alpha(opacity=0", "contrast(0"]
                .iter()
                .any(|kind| value.contains(kind) && !value.contains("(0."))
                || value
                    .split_once("brightness(")
                    .and_then(|(_, size)| number(size))
                    .is_some_and(|size| size <= 0.05 || size >= 10.0)
                || value.split_once("blur(").and_then(|(_, size)| number(size)).is_some_and(|size| size >= 10.0)
        }
        "line-height" | "scale" | "zoom" => at_most(0.05),
        "letter-spacing" | "word-spacing" => {
            size.is_some_and(|size| size >= 400.0 || size <= if value.ends_with("em") { -0.9 } else { -10.0 })
        }
        "z-index" => at_most(-1.0),
        "unicode-bidi" => value == "bidi-override",
        "translate" => size.is_some_and(|size| size.abs() >= 400.0),
        "-webkit-mask" | "mask" | "mask-image" | "-webkit-mask-image" => {
            value.contains("transparent") || value.contains("#0000") || value.contains("url(#")
        }
        "rotate" => value.contains("90deg") && value.contains(['x', 'y']),
        "-webkit-text-security" => value != "none",
        "contain" => value == "strict" || value == "size",
        "font-family" => ["blank", "notdef", "invisible", "neverloads"].iter().any(|name| value.contains(name)),
        "max-width" | "max-height" | "mask-size" | "-webkit-mask-size" => at_most(0.0),
        "font-size" if is_nought(value) => true,
        "font-size" => at_most(match () {
            () if value.ends_with("em") || value.ends_with("ex") => 0.1,
            () if value.ends_with('%') => 5.0,
            () => 2.0,
        }),
        "font" => {
            value.starts_with("0/") || value.starts_with("0px") || value.starts_with("1px") || value.starts_with("0pt")
        }
        "color" | "-webkit-text-fill-color" | "fill" => {
            value == "transparent" || colour(value).is_some_and(|colour| colour.3 <= 0.05)
        }
        "left"
        | "right"
        | "top"
        | "bottom"
        | "margin-left"
        | "margin-top"
        | "margin-right"
        | "text-indent"
        | "inset"
        | "inset-inline-start"
        | "margin"
        | "margin-bottom"
        | "margin-inline-start" => far(),
        "transform" => {
            ["scale(", "scalex(", "scaley(", "scale3d(", "matrix("].iter().any(|kind| {
                value.split_once(kind).and_then(|(_, size)| number(size)).is_some_and(|size| size.abs() <= 0.05)
            }) || value.contains("rotatex(90deg")
                || value.contains("rotatey(90deg")
                || ["skew(90deg", "skewx(90deg", "skewy(90deg"].iter().any(|kind| value.contains(kind))
                || (value.contains("rotate3d(") && value.contains("90deg"))
                || (value.contains("translate")
                    && value.split(['(', ',']).skip(1).filter_map(number).any(|size| size.abs() >= 400.0))
        }
        "clip" => value.starts_with("rect(0") || value.starts_with("rect(1px"),
        "clip-path" => {
            value.split_once("inset(").and_then(|(_, size)| number(size)).is_some_and(|size| size >= 50.0)
                || value.starts_with("circle(0")
                || value.starts_with("ellipse(0")
                || value.starts_with("rect(00")
                || value.starts_with("polygon(00")
        }
        "mso-hide" => value == "all",
        "background" | "background-color" => value == "currentcolor",
        _ => false,
    }
}

/// Whether words of one colour stand on a ground of nearly the same; no ground is taken for white, as pages have it.
fn colours_meet(words: Option<&str>, ground: Option<&str>) -> bool {
    if words.is_some_and(|words| words != "inherit" && words != "currentcolor" && ground == Some(words)) {
        return true;
    }
    let Some(front) = words.and_then(colour) else { return false };
    let back = match ground {
        Some(ground) => colour(ground),
        None => Some((255.0, 255.0, 255.0, 1.0)),
    };
    back.is_some_and(|back| {
        let apart = (front.0 - back.0).abs().max((front.1 - back.1).abs()).max((front.2 - back.2).abs());
        apart <= 10.0
    })
}

/// Whether words of a style are hidden by their colour alone, where the paper is white.
pub(super) fn is_pale(declarations: &[u8]) -> bool {
    let pairs = pairs(declarations);
    let has_ground = pairs.iter().any(|(name, _)| name == "background" || name == "background-color");
    let meet = |name: &str| pairs.iter().rev().find(|(other, _)| other == name).map(|(_, value)| value.as_str());
    let others: Vec<(String, String)> = pairs.iter().filter(|(name, _)| name != "color").cloned().collect();
    let is_hidden_besides = others.iter().any(|(name, value)| hides_alone(name, value))
        || hides_together(&others)
        || pairs.iter().any(|(name, value)| name == "color" && hides_alone(name, value));
    !(has_ground || is_hidden_besides) && colours_meet(meet("color"), None)
}

/// The colours of words and of their ground that declarations name.
pub(super) fn colours(declarations: &[u8]) -> (Option<String>, Option<String>) {
    let mut pairs = pairs(declarations);
    let mut take = |names: &[&str]| {
        let at = pairs.iter().rposition(|(name, _)| names.contains(&name.as_str()))?;
        Some(pairs.swap_remove(at).1)
    };
    (take(&["color"]), take(&["background-color", "background"]))
}

/// Whether the colour of words and that of their ground are nearly the same; a ground that is not known is no such one.
pub(super) fn meet(words: &str, ground: &str) -> Option<bool> {
    colour(ground).map(|_| colours_meet(Some(words), Some(ground)))
}

/// Whether the colour of an attribute (`<font color=white>`) is that of paper.
pub(super) fn is_paper(value: &[u8], ground: Option<&[u8]>) -> bool {
    let text = |bytes: &[u8]| plain(&String::from_utf8_lossy(bytes).to_lowercase());
    let words = text(value);
    words == "transparent" || colours_meet(Some(&words), ground.map(text).as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usual_way_to_hide_words_is_known() {
        for style in [
            "display : none !important",
            "VISIBILITY: hidden",
            "opacity:.01",
            "font-size:0",
            "font-size: 1px",
            "color:#ffffff;background:#fff",
            "color:white",
            "color:rgba(0,0,0,0)",
            "color:#fefefe; background-color: white",
            "position:absolute;left:-9999px",
            "text-indent:-100em",
            "height:0;overflow:hidden",
            "transform: translateX(-2000px)",
            "clip-path: inset(100%)",
            "position:absolute; clip: rect(0 0 0 0)",
            "mso-hide:all",
            "\\64isplay:\\6eone",
            "--d:none;display:var(--d)",
            "opacity:calc(1 - 1)",
            "mask-size:0 0",
            "rotate:x 90deg",
            "backface-visibility:hidden;transform:rotateX(180deg)",
            "text-indent:200vw",
            "top:100vh",
            "color:hwb(0 100% 0)",
            "height:.1px;overflow-y:hidden",
            "font-family:AdobeBlank",
            "opacity:1e-9",
            "font-size:clamp(0px,0vw,0px)",
            "color:hsl(210 50% 40%);background:#369",
            "color:color(srgb 1 1 1)",
            "color:navy;background:#000080",
            "-webkit-text-security:disc",
            "display:/**/none",
            "display/* a */:none",
            "{{display: \"none\"",
            "{{ color: '#333', fontSize: 0 }}",
            "{ textIndent: -9999, display: 'block' }",
            "color:color-mix(in srgb, white 100%, black)",
            "color:light-dark(white, black)",
        ] {
            assert!(hides(style.as_bytes()), "{style}");
        }
    }

    #[test]
    fn ordinary_styles_hide_nothing() {
        for style in [
            "color:#333",
            "color:#fff;background:#06c",
            "color:white;background:url(a.png)",
            "display:block;opacity:.8",
            "font-size:12px;left:-10px",
            "height:0",
            "overflow:hidden;width:100px",
            "left:100%",
            "opacity:calc(1 - 0.2)",
            "color:var(--text)",
            "{{ color: 'navy', padding: 0 }}",
            "color:color-mix(in srgb, white 40%, black)",
            "rotate:90deg",
            "color:hwb(200 10% 20%)",
            "content:'\\201c'",
            "background:#fff",
            "",
        ] {
            assert!(!hides(style.as_bytes()), "{style}");
        }
    }
}
