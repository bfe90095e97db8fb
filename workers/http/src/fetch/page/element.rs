//! The elements of HTML: which contain no text, and where one ends implicitly. *Standards*: HTML, sections 13.1.2 and 13.2.4.2.

/// The kind of an element for the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Active,
    Style,
    Media,
    Field,
}

impl Kind {
    pub(super) fn of(name: &[u8]) -> Self {
        match name {
            b"script" | b"noscript" | b"template" | b"iframe" | b"frame" | b"frameset" | b"noframes" | b"noembed"
            | b"object" | b"embed" | b"applet" => Self::Active,
            b"style" => Self::Style,
            b"img" | b"svg" | b"math" | b"canvas" | b"audio" | b"video" | b"map" | b"rp" => Self::Media,
            b"input" | b"textarea" | b"select" | b"datalist" | b"button" | b"progress" | b"meter" => Self::Field,
            _ => Self::Text,
        }
    }
}

/// Whether an element begins another language than HTML, or HTML within it; none of the two for all others.
pub(super) fn is_foreign_root(name: &[u8]) -> Option<bool> {
    match name {
        b"svg" | b"math" => Some(true),
        b"foreignobject" | b"desc" | b"title" | b"mi" | b"mn" | b"mo" | b"ms" | b"mtext" => Some(false),
        _ => None,
    }
}

pub(super) fn is_void(name: &[u8]) -> bool {
    matches!(
        name,
        b"area"
            | b"base"
            | b"basefont"
            | b"bgsound"
            | b"br"
            | b"col"
            | b"embed"
            | b"frame"
            | b"hr"
            | b"img"
            | b"input"
            | b"keygen"
            | b"link"
            | b"meta"
            | b"param"
            | b"source"
            | b"track"
            | b"wbr"
    )
}

/// Scope boundaries: an end tag closes no element outside of these.
pub(super) fn is_boundary(name: &[u8]) -> bool {
    matches!(
        name,
        b"applet"
            | b"button"
            | b"caption"
            | b"html"
            | b"marquee"
            | b"math"
            | b"object"
            | b"select"
            | b"svg"
            | b"table"
            | b"td"
            | b"template"
            | b"th"
    )
}

/// Whether the end tag of a table or of its row ends a cell that is open in it.
pub(super) fn is_of_table(name: &[u8], open: &[u8]) -> bool {
    matches!(name, b"table" | b"tbody" | b"tfoot" | b"thead" | b"tr") && matches!(open, b"td" | b"th" | b"caption")
}

/// Scope boundaries for other elements: an end tag closes no element outside of these.
pub(super) fn is_special(name: &[u8]) -> bool {
    is_boundary(name)
        || is_block(name)
        || matches!(name, b"body" | b"head" | b"iframe" | b"script" | b"style" | b"title" | b"textarea" | b"noscript")
}

/// Whether HTML lets its end tag be omitted: the end of its parent ends it (HTML, section 13.1.2.4).
pub(super) fn ends_itself(name: &[u8]) -> bool {
    matches!(
        name,
        b"p" | b"li"
            | b"dt"
            | b"dd"
            | b"tr"
            | b"td"
            | b"th"
            | b"tbody"
            | b"thead"
            | b"tfoot"
            | b"option"
            | b"optgroup"
            | b"rt"
            | b"rp"
            | b"caption"
            | b"colgroup"
    )
}

/// Whether it is an item of a list.
pub(super) fn is_item(name: &[u8]) -> bool {
    matches!(name, b"li" | b"dt" | b"dd")
}

/// Whether an item that begins in it starts a list of its own.
pub(super) fn holds_items(name: &[u8]) -> bool {
    is_special(name) && !matches!(name, b"address" | b"div" | b"p" | b"li" | b"dt" | b"dd")
}

/// Whether it ends SVG and `MathML` where it begins in them (HTML, section 13.2.6.5).
pub(super) fn is_of_html(name: &[u8]) -> bool {
    is_block(name) && !matches!(name, b"caption" | b"form" | b"fieldset" | b"tbody" | b"tfoot" | b"thead" | b"tr")
        || matches!(
            name,
            b"b" | b"big"
                | b"body"
                | b"br"
                | b"code"
                | b"em"
                | b"embed"
                | b"font"
                | b"head"
                | b"i"
                | b"img"
                | b"listing"
                | b"meta"
                | b"nobr"
                | b"ruby"
                | b"s"
                | b"small"
                | b"span"
                | b"strike"
                | b"strong"
                | b"sub"
                | b"sup"
                | b"tt"
                | b"u"
                | b"var"
        )
}

/// Whether it is a block element.
pub(super) fn is_block(name: &[u8]) -> bool {
    closes_paragraph(name)
        || matches!(name, b"caption" | b"dd" | b"dt" | b"li" | b"tbody" | b"tfoot" | b"thead" | b"tr")
}

/// Whether a paragraph ends where it begins.
pub(super) fn closes_paragraph(name: &[u8]) -> bool {
    matches!(
        name,
        b"address"
            | b"article"
            | b"aside"
            | b"blockquote"
            | b"center"
            | b"details"
            | b"dialog"
            | b"dir"
            | b"div"
            | b"dl"
            | b"fieldset"
            | b"figcaption"
            | b"figure"
            | b"footer"
            | b"form"
            | b"h1"
            | b"h2"
            | b"h3"
            | b"h4"
            | b"h5"
            | b"h6"
            | b"header"
            | b"hgroup"
            | b"hr"
            | b"main"
            | b"menu"
            | b"nav"
            | b"ol"
            | b"p"
            | b"pre"
            | b"search"
            | b"section"
            | b"summary"
            | b"table"
            | b"ul"
    )
}

/// Names of elements.
type Names = &'static [&'static [u8]];

/// The elements that an element of this name implicitly ends, and the scope of the search.
pub(super) fn ends_before(name: &[u8]) -> Option<(Names, Names)> {
    Some(match name {
        b"li" => (&[b"li"], &[b"ul", b"ol", b"menu", b"table", b"td", b"button"]),
        b"dt" | b"dd" => (&[b"dt", b"dd"], &[b"dl", b"table", b"td", b"button"]),
        b"td" | b"th" => (&[b"td", b"th"], &[b"tr", b"table"]),
        b"tr" => (&[b"tr"], &[b"table", b"tbody", b"thead", b"tfoot"]),
        b"tbody" | b"thead" | b"tfoot" => (&[b"tbody", b"thead", b"tfoot"], &[b"table"]),
        b"option" => (&[b"option"], &[b"select", b"datalist"]),
        _ => return None,
    })
}
