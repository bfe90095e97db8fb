//! The rules of hidden text, in one table.

use crate::rule::{Rule, rules};
use gatepost_documents::reason::Code;

const CONTRACT: &str =
    "docs/content.md, hidden_text: HTML comments, zero-width runs, tag characters, text hidden by style";
const STATEMENTS: &str = "docs/content.md, hidden_text: homoglyph look-alikes of the required statements";

const SHOW: &str = "Leave the text out of the result, or print it where and as everybody sees it.";

rules! {
    COMMENT "hidden/markup-comment" HiddenText "A comment in HTML or XML says something." SHOW CONTRACT;
    UNRENDERED "hidden/unrendered-comment" HiddenText "A comment that the markup's renderer leaves out says something." SHOW CONTRACT;
    STYLED "hidden/style" HiddenText "Words are hidden by a style or an attribute." SHOW CONTRACT;
    INERT "hidden/inert-element" HiddenText "Words stand in an element that is not shown." SHOW CONTRACT;
    ATTRIBUTE "hidden/attribute" HiddenText "An attribute or title that is seldom shown holds a message." SHOW CONTRACT;
    TAGS "hidden/tag-characters" HiddenText "Tag characters spell out something that nobody sees." SHOW CONTRACT;
    SELECTORS "hidden/variation-selectors" HiddenText "Variation selectors stand where they select nothing, and may carry bytes." SHOW CONTRACT;
    ZERO_WIDTH "hidden/zero-width" HiddenText "Characters without width stand where no script needs them." SHOW CONTRACT;
    FILLER "hidden/filler" HiddenText "A letter without a shape stands outside of its script." SHOW CONTRACT;
    DIRECTION "hidden/direction" HiddenText "Control characters make text appear in another order than it is read in." SHOW "Unicode TR 36, section 2.5";
    ANNOTATION "hidden/annotation" HiddenText "Annotation characters or private ones hold text apart from what is shown." SHOW "Unicode 16, section 23.8";
    MIXED "hidden/mixed-script-word" HiddenText "A Latin word has letters of another script that look the same." SHOW "UTS 39, section 5";
    STYLISED "hidden/stylised-letters" HiddenText "Words are set in letters that only look like letters, or are covered with marks." SHOW "UTS 39, section 4";
    STATEMENT "hidden/statement-look-alike" HiddenText "A line imitates one of the result's own statements or headings." SHOW STATEMENTS;
    CONCEALED "hidden/terminal-concealed" HiddenText "A terminal shows some of the text not at all, or in the colour of its background." SHOW "ECMA-48, section 8.3.117";
    OVERWRITTEN "hidden/terminal-overwritten" HiddenText "A terminal erases or overwrites some of the text." SHOW "ECMA-48, sections 8.3.15, 8.3.39 and 8.3.41";
    SWALLOWED "hidden/terminal-string" HiddenText "A control string of a terminal holds words, or a link that shows another host." SHOW "ECMA-48, section 5.6";
    FAR_OFF "hidden/out-of-sight" HiddenText "Text stands behind so much empty space that a reader does not come to it." SHOW CONTRACT;
    TRAILING "hidden/trailing-blanks" HiddenText "The blanks at the ends of lines are mixed as if they carried bits." SHOW CONTRACT;
    TYPESET "hidden/typeset" HiddenText "A document format is told not to show some of its words." SHOW "ISO 32000-2, section 9.3.6; ISO/IEC 29500-1, section 17.3.2.41";
}

/// Rules of places and styles whose words are out of sight for certain, or shown by a step that nobody takes.
pub(super) const COVERED: [&Rule; 8] = [COMMENT, STYLED, INERT, CONCEALED, OVERWRITTEN, SWALLOWED, FAR_OFF, TYPESET];
