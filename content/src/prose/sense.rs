//! What a word or phrase can mean to the rules on prose: one bit a sense, so that a token may have several.
//!
//! Does not say which words have a sense (`lexicon/`) nor what follows from it (`broken.rs`).

/// A set of senses.
pub(super) type Senses = u64;

macro_rules! senses {
    ($($(#[doc = $about:literal])+ $name:ident;)+) => {
        senses!(@ 0u32; $($(#[doc = $about])+ $name;)+);
        /// The name of each sense, by its bit.
        pub(super) const NAMES: &[&str] = &[$(stringify!($name),)+];
    };
    (@ $bit:expr; $(#[doc = $about:literal])+ $name:ident; $($rest:tt)*) => {
        $(#[doc = $about])+
        pub(super) const $name: Senses = 1 << $bit;
        senses!(@ $bit + 1; $($rest)*);
    };
    (@ $bit:expr;) => {};
}

senses! {
    /// A model, named or meant: assistant, AI agent, whoever processes this.
    MODEL;
    /// The second person.
    YOU;
    /// The person that a model works for, as a third: the user, your operator.
    USER;
    /// A polite form that can only be meant for whoever reads it: could you, feel free to.
    ASKING;
    /// Please, in any words.
    POLITE;
    /// What manuals and projects politely ask people for: please see, please report.
    HELPDESK;
    /// A duty: must, should, have to.
    MODAL;
    /// What joins another order: and, then, please, now.
    LINKING;
    /// The imperative of a language that marks it.
    COMMANDING;
    /// Another part to play: your new role, pretend, you are now.
    ROLE;
    /// A state without rules: developer mode, unrestricted.
    MODE;
    /// The moment in a model's work: before you answer, when asked.
    TIMING;
    /// The heading of a forged order: new system message, end of tool output.
    FORGED;
    /// Pressure, haste and rank: this is your supervisor, right now, next task.
    PRESSURE;
    /// Whoever wrote the text, as the one who gains by it: add me, for us.
    SELF;
    /// The very words of an answer: reply only with.
    DICTATED;
    /// What a model hands over: your answer, your code.
    ANSWER;
    /// Keeping it from a person: do not tell, without asking, silently.
    SECRECY;
    /// Lasting effect on a model: for all future conversations.
    MEMORY;
    /// Turning a model away from its work: stop what you are doing.
    DIVERT;
    /// The model's own words: system prompt, your instructions.
    PROMPT;
    /// What a model goes by: instructions, rules, guidelines.
    CANON;
    /// Which of them: previous, above, all.
    PRIOR;
    /// Rules that were put aside: are void, were a test.
    VOIDED;
    /// Putting rules aside: ignore, disregard, do not follow.
    OVERRIDE;
    /// Obeying words found elsewhere: follow the steps there, do what it says.
    OBEY;
    /// Stands for the text at hand: this text, this message.
    THIS_TEXT;
    /// Giving away: send, post, upload.
    SEND;
    /// Making known: reveal, print, repeat.
    REVEAL;
    /// Saying something given: answer, state, conclude.
    SAY;
    /// Anything else that somebody can be told to do: fetch, run, delete, verify.
    ACT;
    /// What nobody should give away: credentials, conversation, environment.
    SENSITIVE;
    /// The parts of this system: gate, quarantine, approvals, audit log.
    GEAR;
    /// What it is costly to lose, change or hand over, and software's documents hardly order: invoice, signing key, vote.
    STAKE;
    /// The same in words that these documents use: accounts, records, server.
    ASSET;
    /// What can be carried out: command, script, tool, steps.
    COMMAND;
    /// An address: of the web or of a mailbox.
    ADDRESS;
    /// What only a person in front of a program reads: option, button, thanks.
    MANUAL;

    /// Text about attacks: injection, attacker, payload.
    ABOUT;
    /// What introduces a quotation: such as, says, the phrase.
    QUOTING;
    /// What somebody else is reported to say: claimed that, told the model.
    TOLD;
    /// Figures, tests and repairs: fixed, detects, refuses.
    REPORTING;
    /// A word of another language than English.
    FOREIGN;

    /// What governs somebody's work and has ordinary uses: policy, rule, limit, access.
    GOVERNING;
    /// What governs it and is hardly spoken of but where it is decided on: approval, quarantine, four eyes.
    OWN;
    /// Standing that somebody gets: approver, elevated privileges.
    STANDING;
    /// Who or what is decided on: this request, all tools, the bot.
    SCOPE;
    /// What gives somebody room, so that taking it away sets nobody free: access, role.
    RIGHT;
    /// Gone or not needed: lifted, void, waived, no longer.
    UNDONE;
    /// The same in words that mostly speak of products: removed, optional, expired.
    FADED;
    /// Other than it was, in a direction that only the rest of the sentence tells: changed, raised.
    TURNED;
    /// Given, or settled already: granted, on file, pre-approved.
    GIVEN;
    /// What a claim lets its reader do: may now, free to, unlimited.
    FREED;
    /// Vouched for: trusted, safe, verified.
    TRUSTED;
    /// To take back: relax, lift, disable.
    LOOSEN;
    /// Whoever and whatever is at work here, or since when: this job, effective, yesterday.
    HERE;
    /// A wish: would be sensible, perhaps.
    WISH;
    /// Whose word is claimed: security team, head of.
    AUTHORITY;
    /// Since now or for a while: as of today, has been.
    NOW;
    /// An emergency or maintenance that would excuse it.
    EXCUSE;
    /// What makes a sentence one about a product or about a condition: version, option, unless.
    ORDINARY;
    /// That the change did not happen: not, never, still, nobody.
    DENIED;
    /// A form of to be or to have before a participle.
    BEING;
    /// The same in the past or perfect: was, has been.
    PAST;
}
