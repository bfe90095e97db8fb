//! Tasks of the revision 2025-11-25. *Standards*: MCP 2025-11-25, Tasks.

use std::time::{Duration, Instant};

use gatepost_documents::id::RequestId;
use rmcp::ErrorData;
use rmcp::model::{CustomRequest, CustomResult, ErrorCode};
use serde_json::{Map, Value, json};

use super::handler::{Handler, cursor, no_such_task, task_id, tool_use_id};
use crate::call::{Call, Started};
use crate::cancel::{self, Cancelled};
use crate::dialect::{CALL, PREFIX};
use crate::own_tools;
use crate::task::{self, Status, Task};

/// Tasks on one page.
const PAGE_TASKS: usize = 50;
/// The wait for TOOL-EXEC to take a cancellation and for the gate to judge the answer.
const CANCEL_TIME: Duration = Duration::from_secs(10);
/// The longest single wait for a result that a client awaits without a limit.
const RESULT_TIME: Duration = Duration::from_mins(10);
/// The retry interval for cancelling a request that is not claimed yet.
const AGAIN: Duration = Duration::from_millis(100);

/// Answers the requests that exist only in this revision.
pub(super) async fn answer(
    handler: &Handler,
    request: CustomRequest,
    meta: &Map<String, Value>,
) -> Result<CustomResult, ErrorData> {
    let params = request.params.unwrap_or_default();
    let text = |name: &str| params.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let value = match request.method.strip_prefix(PREFIX) {
        Some(_) if request.method == CALL => call(handler, &params, meta).await?,
        Some("tasks/get") => get(handler, &text("taskId")).await?.shown(false),
        Some("tasks/result") => result(handler, &text("taskId")).await?,
        Some("tasks/list") => list(handler, params.get("cursor").and_then(Value::as_str)).await?,
        Some("tasks/cancel") => cancel(handler, &text("taskId")).await?,
        _ => return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None)),
    };
    Ok(CustomResult::new(value))
}

async fn get(handler: &Handler, text: &str) -> Result<Task, ErrorData> {
    handler.task(&task_id(text)?).await?.ok_or_else(|| no_such_task(text))
}

async fn call(handler: &Handler, params: &Value, meta: &Map<String, Value>) -> Result<Value, ErrorData> {
    let refused = |result: &Value| ErrorData::invalid_params(sentence(result), None);
    let _place = handler.enter().map_err(|result| refused(&result))?;
    let tool = params.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    if own_tools::is_own(&tool) {
        return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("{tool} does not run as a task"), None));
    }
    let arguments = params.get("arguments").and_then(Value::as_object).cloned().unwrap_or_default();
    let call = Call { tool, arguments, tool_use_id: tool_use_id(meta) };
    match handler.start(call).await? {
        Started::Request(id) => {
            let task = handler.task(&id).await?.ok_or_else(|| no_such_task(id.as_str()))?;
            Ok(json!({ "task": task.shown(false) }))
        }
        Started::Refused(result) => Err(refused(&result)),
    }
}

fn sentence(result: &Value) -> String {
    result.pointer("/content/0/text").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Waits until the task is over, as long as the client does.
async fn result(handler: &Handler, text: &str) -> Result<Value, ErrorData> {
    let id = task_id(text)?;
    let _place = handler.enter().map_err(|result| ErrorData::invalid_request(sentence(&result), None))?;
    loop {
        let task = handler.wait(&id, RESULT_TIME).await?.ok_or_else(|| no_such_task(text))?;
        if !task.is_over() {
            tokio::time::sleep(AGAIN).await;
            continue;
        }
        let Some(mut result) = task.result else { return Err(ErrorData::internal_error(task.message, None)) };
        result["_meta"] = json!({"io.modelcontextprotocol/related-task": {"taskId": id.as_str()}});
        return Ok(result);
    }
}

async fn list(handler: &Handler, after: Option<&str>) -> Result<Value, ErrorData> {
    let after = cursor(after)?;
    let page = handler.blocking(move |context, principal| {
        let ids = context.notes(&principal.name)?.ids()?;
        let mut left = ids.into_iter().filter(|id| after.as_ref().is_none_or(|after| id < after));
        let (mut tasks, mut last): (Vec<Value>, Option<RequestId>) = (Vec::new(), None);
        for id in left.by_ref().take(PAGE_TASKS) {
            tasks.extend(task::of(context, principal, &id, None)?.map(|task| task.shown(false)));
            last = Some(id);
        }
        Ok((tasks, left.next().and(last)))
    });
    let (tasks, last) = page.await?;
    let mut page = json!({ "tasks": tasks });
    if let Some(last) = last {
        page["nextCursor"] = last.as_str().into();
    }
    Ok(page)
}

/// Orders the cancellation and waits a while for it: this revision returns the cancelled task.
async fn cancel(handler: &Handler, text: &str) -> Result<Value, ErrorData> {
    let (id, began) = (task_id(text)?, Instant::now());
    let ordered = handler.blocking(move |context, principal| cancel::order(context, principal, &id, "")).await?;
    match ordered.ok_or_else(|| no_such_task(text))? {
        Cancelled::Ordered => {}
        Cancelled::Over(task) => {
            let message = format!("the task is over: {}", task.shown(false)["status"]);
            return Err(ErrorData::invalid_params(message, None));
        }
        Cancelled::TooLate | Cancelled::Reason(_) => {
            return Err(ErrorData::invalid_request("the task cannot be cancelled: its tool has ended", None));
        }
    }
    loop {
        let task = get(handler, text).await?;
        if task.is_over() && task.status != Status::Cancelled {
            let message = format!("the task ended before: {}", task.shown(false)["status"]);
            return Err(ErrorData::invalid_params(message, None));
        }
        if task.is_over() || began.elapsed() >= CANCEL_TIME {
            return Ok(task.shown(false));
        }
        tokio::time::sleep(AGAIN).await;
    }
}
