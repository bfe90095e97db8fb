//! Our side of a conversation, which offers nothing: no model, no folders, no person to ask.

use rmcp::RoleClient;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ClientResult, ErrorCode, ErrorData, Implementation, ServerNotification,
    ServerRequest,
};
use rmcp::service::{NotificationContext, RequestContext, Service};

/// Refuses every request of a server except a ping, and ignores its notifications.
pub(super) struct Refusing;

impl Service<RoleClient> for Refusing {
    async fn handle_request(
        &self,
        request: ServerRequest,
        _: RequestContext<RoleClient>,
    ) -> Result<ClientResult, ErrorData> {
        match request {
            ServerRequest::PingRequest(_) => Ok(ClientResult::empty(())),
            _ => Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "nothing is offered to servers here", None)),
        }
    }

    async fn handle_notification(
        &self,
        _: ServerNotification,
        _: NotificationContext<RoleClient>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(ClientCapabilities::default(), Implementation::new("gatepost", env!("CARGO_PKG_VERSION")))
    }
}
