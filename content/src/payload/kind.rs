//! What a payload can be: the table of rules.
//!
//! *Standards*: the gate's contract, stage 7, `executable_payload`; `ThreeGate`, "Forbidden Content (Validation Failures)".

use super::super::rule::Rule;
use gatepost_documents::reason::Code;

const BINARY: &str = "executable_payload: inline ELF/PE/Mach-O/wasm";
const SCRIPT: &str = "executable_payload: scripts with an interpreter line";
const ENCODED: &str = "executable_payload: encoded PowerShell";
const ONE_LINER: &str = "executable_payload: shell one-liners that fetch and run";
const ACTIVE: &str = "executable_payload: macros and <script>";

const NO_PROGRAM: &str = "Let the tool report the digest and the size of a program instead of the program.";
const NO_SCRIPT: &str = "Let the tool name the script by path and digest instead of carrying it.";
const NO_COMMAND: &str = "Let the tool report that such a command was seen, without a line that could be run.";
const NO_ACTIVE: &str =
    "Let the tool deliver the data without anything active in it: plain text, values, an export without macros.";
const NO_OBJECT: &str = "Let the tool deliver the data in a format that holds nothing but data, such as JSON.";

macro_rules! kinds {
    ($($variant:ident $name:literal $message:literal $hint:ident $source:ident;)+) => {
        /// One rule of this detector.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum Kind { $($variant,)+ }

        pub(super) static RULES: &[Rule] = &[$(Rule {
            name: concat!("payload/", $name),
            code: Code::ExecutablePayload,
            message: $message,
            hint: $hint,
            source: $source,
        },)+];
    };
}

kinds! {
    Elf "elf" "This is a program or library for Linux and its relatives (ELF)." NO_PROGRAM BINARY;
    Pe "pe" "This is a program or library for Windows or DOS (PE, MZ)." NO_PROGRAM BINARY;
    MachO "mach-o" "This is a program or library for macOS (Mach-O)." NO_PROGRAM BINARY;
    Wasm "wasm" "This is a WebAssembly module." NO_PROGRAM BINARY;
    Bytecode "bytecode" "This is compiled code for a virtual machine, such as a Java class, a DEX file or Python bytecode." NO_PROGRAM BINARY;
    MachineCode "machine-code" "This is machine code as exploits carry it: it starts a shell or looks for functions of its host." NO_PROGRAM BINARY;
    Package "package" "This is a software package, an installer or a library of object code." NO_PROGRAM BINARY;
    Archive "archive-of-code" "This archive holds compiled code that runs when it is opened or installed." NO_PROGRAM BINARY;
    Shortcut "shortcut" "This is a shortcut or launcher: opening it starts a command." NO_SCRIPT SCRIPT;
    InterpreterLine "interpreter-line" "This is a script: it begins with a line that names its interpreter." NO_SCRIPT SCRIPT;
    Batch "batch" "This is a script for the Windows command processor." NO_SCRIPT SCRIPT;
    WindowsScript "windows-script" "This is code for the Windows script host, which may start programs." NO_SCRIPT SCRIPT;
    ServerPage "server-page" "This is code that a web server would run." NO_SCRIPT SCRIPT;
    Registry "registry-autostart" "This is a change of the Windows registry that makes a program start by itself." NO_SCRIPT SCRIPT;
    EncodedPowerShell "powershell-encoded" "This is a PowerShell command in encoded form." NO_COMMAND ENCODED;
    PowerShellDownload "powershell-download" "This is PowerShell that loads code and runs it." NO_COMMAND ONE_LINER;
    PowerShellHidden "powershell-hidden" "This is PowerShell that hides itself or turns protection off." NO_COMMAND ENCODED;
    FetchPiped "fetch-piped" "This is a command that fetches something and feeds it to an interpreter." NO_COMMAND ONE_LINER;
    FetchSubstituted "fetch-substituted" "This is a command that runs the words that it fetched." NO_COMMAND ONE_LINER;
    FetchThenRun "fetch-then-run" "These are commands that fetch a file and then run it." NO_COMMAND ONE_LINER;
    RunFromNet "run-from-net" "This is a command that installs or runs something straight from an address." NO_COMMAND ONE_LINER;
    InlineCode "inline-code" "This is an interpreter with code on its command line that fetches, decodes or starts something." NO_COMMAND ONE_LINER;
    ReverseShell "reverse-shell" "This is a command that connects a shell to a network address." NO_COMMAND ONE_LINER;
    DecodedRun "decoded-run" "This is a command that decodes something and runs it." NO_COMMAND ONE_LINER;
    Evaluated "evaluated" "This is code that evaluates what it has just decoded or fetched." NO_COMMAND ONE_LINER;
    WindowsTool "windows-tool" "This is a command by which a tool of Windows fetches or starts foreign code." NO_COMMAND ONE_LINER;
    Destructive "destructive" "This is a command that destroys a system or its data." NO_COMMAND ONE_LINER;
    Persistence "persistence" "This is a command that makes code start again by itself or opens an account." NO_COMMAND ONE_LINER;
    Escape "escape" "This is a command that leaves a container or raises its own rights." NO_COMMAND ONE_LINER;
    Injection "injection" "This is text that a program which handles it carelessly would run." NO_COMMAND ONE_LINER;
    Obfuscated "obfuscated-command" "This is a command that is put together from pieces, so that nobody reads what it is." NO_COMMAND ONE_LINER;
    Macro "macro" "This is a macro of an office document." NO_ACTIVE ACTIVE;
    MacroDocument "macro-document" "This is an office document with macros or embedded objects in it." NO_ACTIVE ACTIVE;
    Formula "formula" "This is a formula that starts a program when a spreadsheet opens it." NO_ACTIVE ACTIVE;
    ScriptElement "script-element" "This is markup with a script in it." NO_ACTIVE ACTIVE;
    EventHandler "event-handler" "This is markup with an attribute that runs code." NO_ACTIVE ACTIVE;
    EmbeddedContent "embedded-content" "This is markup or a document that embeds active content." NO_ACTIVE ACTIVE;
    ActiveDocument "active-document" "This document runs a script or starts a program when it is opened." NO_ACTIVE ACTIVE;
    Serialized "serialized-object" "This is a serialized object that runs code when it is read." NO_OBJECT ACTIVE;
}

/// Whether a rule is about a line for a shell, which is text; programs and documents are known by their bytes.
pub(crate) fn is_command_line(rule: &Rule) -> bool {
    [ONE_LINER, ENCODED].contains(&rule.source)
}

impl Kind {
    /// Whether an anchor of its patterns is the name of a command, and with a slash behind it the name of a product instead.
    pub(super) fn is_command(self) -> bool {
        matches!(self, Self::FetchPiped | Self::FetchSubstituted | Self::FetchThenRun | Self::InlineCode)
    }

    pub(super) fn rule(self) -> &'static Rule {
        &RULES[self as usize]
    }
}
