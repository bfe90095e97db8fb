//! The NATS servers: streams, subjects and the object store. They only transport data and are never a source of truth.
//!
//! ```text
//! stream gatepost-<fleet>-offers    gatepost.<fleet>.offer.<tool>.<id> a work queue, one message a request; the home makes it
//! bucket gatepost-<fleet>           <id>.<n>.request, <id>.<n>.result  the home makes it, and removes what is done
//! subject gatepost.<fleet>.ask | return | beat | cancel | news         without a stream
//! ```
//!
//! *Standards*: NATS `JetStream`, work-queue retention, object store (ADR-20).

use std::path::Path;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::jetstream::{self, Message, stream};
use async_nats::{Client, ConnectOptions, Subscriber};
use bytes::Bytes;
use futures_util::StreamExt as _;
use gatepost_contract::config::Fleet;
use gatepost_documents::id::RequestId;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// A failure of the servers or of the connection to them. The caller retries.
pub(crate) type Error = async_nats::Error;

/// The servers delete messages that nobody took within this time. The home offers and sends them again while it needs them.
const KEPT: Duration = Duration::from_hours(7 * 24);
/// Timeout of an answer.
const ANSWER: Duration = Duration::from_secs(10);
/// A transfer that is slower than this many bytes a second is aborted.
const SLOW: u64 = 100_000;

/// A connection to the servers of a fleet.
#[derive(Debug, Clone)]
pub(crate) struct Engine {
    client: Client,
    jetstream: jetstream::Context,
    fleet: String,
    replicas: usize,
    lease: Duration,
}

impl Engine {
    /// Connects; retries until it succeeds.
    pub(crate) async fn connect(config: &Fleet, who: &str) -> Result<Self, Error> {
        let mut options = ConnectOptions::new()
            .name(format!("gatepost-fleet {who}"))
            .retry_on_initial_connect()
            .max_reconnects(None)
            .request_timeout(Some(ANSWER))
            .ping_interval(Duration::from_secs(10));
        if !config.ca_file.as_os_str().is_empty() {
            options = options.add_root_certificates(config.ca_file.clone());
        }
        if !config.certificate.as_os_str().is_empty() {
            options = options.add_client_certificate(config.certificate.clone(), config.private_key.clone());
        }
        let client = options.connect(config.servers.as_slice()).await?;
        let jetstream = jetstream::new(client.clone());
        let replicas = usize::try_from(config.replicas).unwrap_or(1);
        let lease = Duration::from_secs(config.lease_seconds);
        Ok(Self { client, jetstream, fleet: config.name.clone(), replicas, lease })
    }

    fn subject(&self, rest: &str) -> String {
        format!("gatepost.{}.{rest}", self.fleet)
    }

    /// Creates the missing streams and buckets.
    pub(crate) async fn prepare(&self) -> Result<(), Error> {
        within(ANSWER, self.make()).await
    }

    async fn make(&self) -> Result<(), Error> {
        let config = stream::Config {
            name: format!("gatepost-{}-offers", self.fleet),
            subjects: vec![self.subject("offer.*.*")],
            retention: stream::RetentionPolicy::WorkQueue,
            storage: stream::StorageType::File,
            num_replicas: self.replicas,
            // The home repeats an offer after a lease, in the place of the one before.
            max_messages_per_subject: 1,
            discard: stream::DiscardPolicy::Old,
            max_age: 3 * self.lease,
            ..stream::Config::default()
        };
        self.jetstream.get_or_create_stream(config).await?;
        let bucket = format!("gatepost-{}", self.fleet);
        if self.jetstream.get_object_store(&bucket).await.is_err() {
            let config = object_store::Config {
                bucket,
                max_age: KEPT,
                storage: stream::StorageType::File,
                num_replicas: self.replicas,
                ..object_store::Config::default()
            };
            self.jetstream.create_object_store(config).await?;
        }
        Ok(())
    }

    /// Puts an offer of a tool into the stream and announces it.
    pub(crate) async fn offer(&self, tool: &str, id: &RequestId, offer: Vec<u8>) -> Result<(), Error> {
        let subject = self.subject(&format!("offer.{tool}.{id}"));
        within(ANSWER, async { Ok(self.jetstream.publish(subject, offer.into()).await?.await?) }).await?;
        Ok(self.client.publish(self.subject("news"), Bytes::new()).await?)
    }

    /// The offers of a tool, which all nodes share.
    pub(crate) async fn offers(&self, tool: &str) -> Result<PullConsumer, Error> {
        let name = format!("gatepost-{}-offers", self.fleet);
        let config = pull::Config {
            durable_name: Some(format!("tool-{tool}")),
            filter_subject: self.subject(&format!("offer.{tool}.*")),
            ack_policy: AckPolicy::Explicit,
            ack_wait: self.lease,
            ..pull::Config::default()
        };
        within(ANSWER, async {
            let stream = self.jetstream.get_stream(name).await?;
            Ok(stream.get_or_create_consumer(&format!("tool-{tool}"), config).await?)
        })
        .await
    }

    /// Sends a question to the home and waits for the answer.
    pub(crate) async fn ask(&self, what: &'static str, question: Vec<u8>) -> Result<Bytes, Error> {
        Ok(self.client.request(self.subject(what), question.into()).await?.payload)
    }

    /// Subscribes to one kind of message.
    pub(crate) async fn subscribe(&self, what: &'static str) -> Result<Subscriber, Error> {
        Ok(self.client.subscribe(self.subject(what)).await?)
    }

    /// Answers a question.
    pub(crate) async fn answer(&self, question: &async_nats::Message, answer: Vec<u8>) -> Result<(), Error> {
        let Some(reply) = question.reply.clone() else { return Ok(()) };
        Ok(self.client.publish(reply, answer.into()).await?)
    }

    /// Publishes a message that needs no answer.
    pub(crate) async fn publish(&self, what: &'static str, message: Vec<u8>) -> Result<(), Error> {
        Ok(self.client.publish(self.subject(what), message.into()).await?)
    }

    /// Flushes the outgoing messages.
    pub(crate) async fn flush(&self) {
        let _ = self.client.flush().await;
    }

    async fn store(&self) -> Result<ObjectStore, Error> {
        Ok(self.jetstream.get_object_store(format!("gatepost-{}", self.fleet)).await?)
    }

    /// Puts a file into the object store.
    pub(crate) async fn put(&self, name: &str, file: &Path) -> Result<(), Error> {
        let mut file = tokio::fs::File::open(file).await?;
        let time = time_for(file.metadata().await?.len());
        within(time, async { Ok(self.store().await?.put(name, &mut file).await.map(drop)?) }).await
    }

    /// Gets an object of exactly this many bytes into a new file; false if it has another length.
    pub(crate) async fn get(&self, name: &str, bytes: u64, file: &Path) -> Result<bool, Error> {
        let mut file = tokio::fs::File::create_new(file).await?;
        let (engine, name) = (self.clone(), name.to_owned());
        // A task of its own: the client panics if a server refuses in the middle of an object.
        let get = tokio::spawn(async move {
            let object = engine.store().await?.get(&name).await?;
            let count = tokio::io::copy(&mut object.take(bytes.saturating_add(1)), &mut file).await?;
            file.flush().await?;
            Ok(count == bytes)
        });
        let cancel = get.abort_handle();
        let got = within(time_for(bytes), async { get.await? }).await;
        cancel.abort();
        got
    }

    /// Removes an object; ignores a missing one.
    pub(crate) async fn remove(&self, name: &str) {
        let _ = within(ANSWER, async { Ok(self.store().await?.delete(name).await?) }).await;
    }
}

/// The next message of a consumer, if there is one now.
pub(crate) async fn next(consumer: &PullConsumer) -> Result<Option<Message>, Error> {
    within(ANSWER, async {
        let mut batch = consumer.fetch().max_messages(1).messages().await?;
        batch.next().await.transpose()
    })
    .await
}

fn time_for(bytes: u64) -> Duration {
    ANSWER + Duration::from_secs(bytes / SLOW)
}

/// Applies a timeout: the servers may stop answering at any point.
async fn within<T>(time: Duration, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let late = |_| format!("the servers did not answer within {} s", time.as_secs());
    tokio::time::timeout(time, work).await.map_err(late)?
}
