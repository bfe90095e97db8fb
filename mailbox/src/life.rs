//! The life of a request, read from the folders of a site: its state, its outcome, and its facts.
//!
//! It writes nothing. Each user sees only what its rights permit: a folder that may not be listed is empty. *Security*: rows and
//! details contain strangers' words; for a result that the gate did not accept they contain nothing that a tool or a requester said.

mod class;
mod detail;
mod progress;
mod request_summary;
mod results;
mod row;
mod sealed;
mod state;
mod timeline;

pub use class::Class;
pub use detail::Detail;
pub use progress::{Progress, is_plain_word, refused_for, shown_name};
pub use request_summary::request_summary;
pub use results::{NewestFirst, Place, Results};
pub use row::{Row, codes, rows};
pub use sealed::is_sealed;
pub use state::RequestState;
pub use timeline::Event;
