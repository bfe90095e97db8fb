//! The content of a call: a tool with its arguments, or pages; and the document that requests it.

use chrono::{DateTime, Utc};
use gatepost_contract::request::{Draft, Input, PagesDraft};
use gatepost_documents::digest::Digest;
use gatepost_documents::id::RequestId;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;
use serde_json::{Map, Value, json};

use crate::arguments::Arguments;
use crate::call::Call;
use crate::catalog::{Catalog, Tool};
use crate::pages::{self, PagesCall};
use crate::principal::Principal;

/// The content of a call.
pub(crate) enum Wanted<'a> {
    /// A run of a tool.
    Tool(&'a Tool, Arguments),
    /// Pages.
    Pages(PagesCall),
}

impl<'a> Wanted<'a> {
    /// Parses a call by the catalog for this principal, or returns all faults.
    pub(crate) fn read(catalog: &'a Catalog, principal: &Principal, call: &Call) -> Result<Self, Vec<Reason>> {
        if call.tool == pages::TOOL
            && let Some(destinations) = catalog.pages(principal)
        {
            return PagesCall::read(destinations, &call.arguments).map(Self::Pages);
        }
        let Some(tool) = catalog.tool(principal, &call.tool) else {
            let message = format!("There is no tool {} that you may ask for.", quoted(&call.tool));
            let hint = "tools/list shows every tool that you may ask for.";
            return Err(vec![Reason::new(Code::ToolUnknown, message, hint)]);
        };
        Arguments::read(tool, &catalog.request, &call.arguments).map(|arguments| Self::Tool(tool, arguments))
    }

    /// The name of the tool, as the client gave it.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Tool(tool, _) => &tool.name,
            Self::Pages(_) => pages::TOOL,
        }
    }

    /// The client's idempotency key.
    pub(crate) fn idempotency_key(&self) -> Option<&String> {
        match self {
            Self::Tool(_, arguments) => arguments.idempotency_key.as_ref(),
            Self::Pages(call) => call.idempotency_key.as_ref(),
        }
    }

    /// The input files with their bytes.
    pub(crate) fn inputs(&self) -> &[(Input, Vec<u8>)] {
        match self {
            Self::Tool(_, arguments) => &arguments.inputs,
            Self::Pages(_) => &[],
        }
    }

    /// Digest of the whole content of the call, without the purpose and the key.
    pub(crate) fn digest(&self) -> Digest {
        let all = match self {
            Self::Tool(tool, arguments) => {
                let args: Map<String, Value> =
                    arguments.args.iter().map(|(name, value)| (name.clone(), value.to_json())).collect();
                let inputs: Vec<Value> =
                    arguments.inputs.iter().map(|(input, _)| json!([input.name, input.sha256.to_string()])).collect();
                let interactions: Vec<String> = arguments.interactions.iter().map(|one| format!("{one:?}")).collect();
                let network: Vec<String> = arguments.network.destinations().iter().map(ToString::to_string).collect();
                json!([tool.name, args, inputs, interactions, network])
            }
            Self::Pages(PagesCall { pages, .. }) => json!([pages::TOOL, pages.urls, pages.size_limit_kb]),
        };
        Digest::of(all.to_string().as_bytes())
    }

    /// The document of its request.
    pub(crate) fn document(&self, id: &RequestId, requested_by: &str, now: DateTime<Utc>) -> String {
        let why = |purpose: &Option<String>| purpose.clone().unwrap_or_else(|| "Called over MCP".to_owned());
        match self {
            Self::Pages(call) => PagesDraft {
                id: id.clone(),
                created: now,
                requested_by: requested_by.to_owned(),
                purpose: why(&call.purpose),
                pages: call.pages.clone(),
                idempotency_key: call.idempotency_key.clone(),
            }
            .to_markdown(),
            Self::Tool(tool, arguments) => Draft {
                args: arguments.args.clone(),
                network: arguments.network.clone(),
                inputs: arguments.inputs.iter().map(|(input, _)| input.clone()).collect(),
                idempotency_key: arguments.idempotency_key.clone(),
                interactions: arguments.interactions.clone(),
                ..Draft::call(id.clone(), now, requested_by, &why(&arguments.purpose), &tool.name)
            }
            .to_markdown(),
        }
    }
}
