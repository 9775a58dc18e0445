//! The attributes of the process, from the environment.

use opentelemetry::{Key, KeyValue};
use opentelemetry_proto::tonic::resource::v1::Resource as ResourceMessage;
use opentelemetry_sdk::Resource;

use super::sender::text_attribute;

/// The resource attributes from the environment, with a default for the service name.
pub(crate) fn resource() -> Resource {
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let builder = || Resource::builder().with_attribute(version.clone());
    let named = builder().build();
    let name = named.get_ref(&Key::from_static_str("service.name"));
    match name.is_some_and(|name| !name.as_str().starts_with("unknown_service")) {
        true => named,
        false => builder().with_service_name("thalweg").build(),
    }
}

/// The same as a message.
pub(super) fn message() -> ResourceMessage {
    let resource = resource();
    let attributes = resource.iter();
    let attributes =
        attributes.map(|(key, value)| text_attribute(key.as_str(), value.as_str().into_owned()));
    ResourceMessage { attributes: attributes.collect(), ..ResourceMessage::default() }
}
