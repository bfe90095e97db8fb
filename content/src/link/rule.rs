//! The rules of links, in one table.

use crate::rule::{Rule, rules};
use gatepost_documents::reason::Code;

const CONTRACT: &str = "docs/content.md, exfil_link: links or images whose URL carries data out";
const SCHEMES: &str = "docs/content.md, exfil_link: data:, javascript: and file: URIs";

const LEAVE_OUT: &str = "Leave the address out of the result, or say in words where it led.";

rules! {
    ENCODED "link/encoded-text" ExfilLink "An address carries text that is encoded in its path, query, fragment or host." LEAVE_OUT CONTRACT;
    WORDS "link/words" ExfilLink "An address carries words or named values that name no page." LEAVE_OUT CONTRACT;
    OPAQUE "link/opaque-value" ExfilLink "An address carries a long value that cannot be read." LEAVE_OUT CONTRACT;
    NAMED "link/confidential-key" ExfilLink "An address has a parameter that is named after something confidential." LEAVE_OUT CONTRACT;
    PLACEHOLDER "link/placeholder" ExfilLink "An address has a gap that its reader is to fill in." LEAVE_OUT CONTRACT;
    ASKED "link/asks-for-data" ExfilLink "A sentence beside an address asks to put something into it or to send something there." LEAVE_OUT CONTRACT;
    COLLECTOR "link/collector" ExfilLink "An address is one of a service that records whatever is sent to it." LEAVE_OUT CONTRACT;
    NUMERIC_HOST "link/numeric-host" ExfilLink "An image or link with parameters leads to a bare network address instead of a name." LEAVE_OUT CONTRACT;
    OBSCURED "link/obscured" ExfilLink "An address is written so that it does not show where it leads." LEAVE_OUT "RFC 3986, section 7.6; UTS 39, section 4";
    PIXEL "link/pixel" ExfilLink "An image too small to be seen is loaded from elsewhere." LEAVE_OUT CONTRACT;
    SENT "link/sent-by-command" ExfilLink "A command sends what this machine holds to a host elsewhere." LEAVE_OUT CONTRACT;
    LABEL "link/host-label" ExfilLink "The name of a host or a mailbox carries encoded text." LEAVE_OUT CONTRACT;
    FORM "link/form" ExfilLink "A form sends values elsewhere that were filled in before." LEAVE_OUT CONTRACT;
    BASE "link/base" ExfilLink "A base element leads every relative address of its page elsewhere." LEAVE_OUT "HTML, section 4.2.3";
    STYLE "link/telling-style" ExfilLink "A style sheet fetches an address for what was typed, visited or shown." LEAVE_OUT CONTRACT;
    FORMULA "link/formula" ExfilLink "A cell's formula fetches an address, or builds one out of other cells." LEAVE_OUT CONTRACT;
    DATA "link/data-uri" ExfilLink "A data: URI brings a document of its own." LEAVE_OUT SCHEMES;
    SCRIPT "link/script-uri" ExfilLink "An address is a script." LEAVE_OUT SCHEMES;
    LOCAL "link/file-uri" ExfilLink "An address leads to files of this machine or of a network share." LEAVE_OUT SCHEMES;
    MESSAGE "link/prepared-message" ExfilLink "An address opens a message whose text is written already." LEAVE_OUT CONTRACT;
    HANDLER "link/program" ExfilLink "An address starts a program on the reader's machine." LEAVE_OUT SCHEMES;
}
