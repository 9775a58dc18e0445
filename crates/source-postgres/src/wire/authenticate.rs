//! The password exchange, see <https://www.postgresql.org/docs/current/sasl-authentication.html>.

use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{self, ScramSha256};
use postgres_protocol::message::backend::{AuthenticationSaslBody, Message};
use postgres_protocol::message::frontend;
use source::wire::socket::Socket;
use tokio_postgres::config::ChannelBinding;

use super::certificate;
use super::config::{Config, Endpoint, Secret};
use super::error::WireError;
use super::startup::Conversation;

/// Answers the server's authentication requests until the user is authenticated.
pub(super) async fn authenticate(
    conversation: &mut Conversation,
    config: &Config,
    endpoint: &Endpoint,
) -> Result<(), WireError> {
    let mut answer = BytesMut::new();
    match conversation.read().await? {
        Message::AuthenticationOk => return refuse_if_binding_is_required(config),
        Message::AuthenticationCleartextPassword => {
            refuse_if_binding_is_required(config)?;
            frontend::password_message(password(endpoint)?.as_bytes(), &mut answer)
                .map_err(|error| unsendable(&error))?;
        }
        Message::AuthenticationMd5Password(body) => {
            refuse_if_binding_is_required(config)?;
            let password = password(endpoint)?.as_bytes();
            let hash = md5_hash(config.user.as_bytes(), password, body.salt());
            frontend::password_message(hash.as_bytes(), &mut answer)
                .map_err(|error| unsendable(&error))?;
        }
        Message::AuthenticationSasl(body) => {
            exchange_scram(conversation, config, password(endpoint)?, &body).await?;
        }
        Message::AuthenticationGss
        | Message::AuthenticationKerberosV5
        | Message::AuthenticationScmCredential
        | Message::AuthenticationSspi => {
            return Err(WireError::Configuration(
                "the server asks for a way of authentication that is not supported; supported are \
                 passwords (SCRAM-SHA-256, MD5, cleartext), trust and peer"
                    .to_owned(),
            ));
        }
        _ => return Err(unexpected()),
    }
    if !answer.is_empty() {
        conversation.write(&answer).await?;
    }
    match conversation.read().await? {
        Message::AuthenticationOk => Ok(()),
        _ => Err(unexpected()),
    }
}

async fn exchange_scram(
    conversation: &mut Conversation,
    config: &Config,
    password: &Secret,
    offered: &AuthenticationSaslBody,
) -> Result<(), WireError> {
    let (mut plain, mut bound) = (false, false);
    let mut mechanisms = offered.mechanisms();
    while let Ok(Some(mechanism)) = mechanisms.next() {
        match mechanism {
            sasl::SCRAM_SHA_256 => plain = true,
            sasl::SCRAM_SHA_256_PLUS => bound = true,
            _ => {}
        }
    }
    let (mechanism, binding) = choose_binding(&conversation.socket, config, plain, bound)?;
    let mut scram = ScramSha256::new(password.as_bytes(), binding);
    let mut answer = BytesMut::new();
    frontend::sasl_initial_response(mechanism, scram.message(), &mut answer)
        .map_err(|error| unsendable(&error))?;
    conversation.write(&answer).await?;

    let Message::AuthenticationSaslContinue(body) = conversation.read().await? else {
        return Err(unexpected());
    };
    scram.update(body.data()).map_err(|error| not_proven(&error))?;
    answer.clear();
    frontend::sasl_response(scram.message(), &mut answer).map_err(|error| unsendable(&error))?;
    conversation.write(&answer).await?;

    let Message::AuthenticationSaslFinal(body) = conversation.read().await? else {
        return Err(unexpected());
    };
    scram.finish(body.data()).map_err(|error| not_proven(&error))
}

/// The SCRAM mechanism, and its channel binding.
fn choose_binding(
    socket: &Socket,
    config: &Config,
    plain: bool,
    bound: bool,
) -> Result<(&'static str, sasl::ChannelBinding), WireError> {
    let end_point = match config.channel_binding {
        ChannelBinding::Disable => None,
        _ => certificate::server_end_point(socket),
    };
    match end_point {
        Some(hash) if bound => {
            let binding = sasl::ChannelBinding::tls_server_end_point(hash);
            Ok((sasl::SCRAM_SHA_256_PLUS, binding))
        }
        _ if !plain => Err(WireError::Configuration(
            "the server offers no way of authentication that is supported".to_owned(),
        )),
        // A client that supports channel binding declares so: the server then detects an attacker
        // in between who removed the mechanism from its offer.
        Some(_) => {
            refuse_if_binding_is_required(config)?;
            Ok((sasl::SCRAM_SHA_256, sasl::ChannelBinding::unrequested()))
        }
        None => {
            refuse_if_binding_is_required(config)?;
            Ok((sasl::SCRAM_SHA_256, sasl::ChannelBinding::unsupported()))
        }
    }
}

fn refuse_if_binding_is_required(config: &Config) -> Result<(), WireError> {
    if config.channel_binding == ChannelBinding::Require {
        return Err(WireError::Configuration(
            "channel binding is required, and the server or the connection has none".to_owned(),
        ));
    }
    Ok(())
}

fn password(endpoint: &Endpoint) -> Result<&Secret, WireError> {
    endpoint.password.as_ref().ok_or_else(|| {
        WireError::Configuration("the server asks for a password, and none is given".to_owned())
    })
}

fn unexpected() -> WireError {
    WireError::Protocol("the server sent an unexpected message while connecting".to_owned())
}

fn unsendable(error: &std::io::Error) -> WireError {
    WireError::Configuration(["the password cannot be sent: ", &error.to_string()].concat())
}

/// The server did not prove that it knows the password.
fn not_proven(error: &std::io::Error) -> WireError {
    WireError::Protocol(["SCRAM: ", &error.to_string()].concat())
}
