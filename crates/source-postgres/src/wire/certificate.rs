//! The hash of a certificate that SCRAM binds a session to (RFC 5929, section 4.1).

use sha2::{Digest, Sha256, Sha384, Sha512};

use source::wire::socket::Socket;

const SEQUENCE: u8 = 0x30;
const OBJECT_IDENTIFIER: u8 = 0x06;

/// The last byte of the identifiers below 1.2.840.113549.1.1 (RSA with a hash).
const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01];
/// The last byte of the identifiers below 1.2.840.10045.4.3 (ECDSA with SHA-2).
const ECDSA_SHA2: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03];
/// 1.2.840.10045.4.1, ECDSA with SHA-1.
const ECDSA_SHA1: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x01];

/// The channel binding of SCRAM (`tls-server-end-point`). None without TLS, or where the
/// certificate's signature defines no hash.
pub(super) fn server_end_point(socket: &Socket) -> Option<Vec<u8>> {
    end_point_hash(socket.certificate()?)
}

/// Hashes a certificate (DER) with the hash of its own signature; MD5 and SHA-1 count as SHA-256.
/// None for signatures without a hash of their own (Ed25519, RSA-PSS), where no binding is defined.
fn end_point_hash(certificate: &[u8]) -> Option<Vec<u8>> {
    let algorithm = signature_algorithm(certificate)?;
    if algorithm == ECDSA_SHA1 {
        return Some(Sha256::digest(certificate).to_vec());
    }
    let (last, prefix) = algorithm.split_last()?;
    match (prefix, last) {
        (RSA, 4 | 5 | 11) | (ECDSA_SHA2, 2) => Some(Sha256::digest(certificate).to_vec()),
        (RSA, 12) | (ECDSA_SHA2, 3) => Some(Sha384::digest(certificate).to_vec()),
        (RSA, 13) | (ECDSA_SHA2, 4) => Some(Sha512::digest(certificate).to_vec()),
        _ => None,
    }
}

/// `Certificate ::= SEQUENCE { tbsCertificate, signatureAlgorithm SEQUENCE { algorithm, … }, … }`
fn signature_algorithm(certificate: &[u8]) -> Option<&[u8]> {
    let (certificate, _) = element(certificate, SEQUENCE)?;
    let (_, after) = element(certificate, SEQUENCE)?;
    let (algorithm, _) = element(after, SEQUENCE)?;
    let (identifier, _) = element(algorithm, OBJECT_IDENTIFIER)?;
    Some(identifier)
}

/// The content of a DER element with this tag, and the rest after the element.
fn element(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (&[found, short], rest) = bytes.split_first_chunk::<2>()?;
    if found != tag {
        return None;
    }
    if short < 0x80 {
        return rest.split_at_checked(usize::from(short));
    }
    let (length_bytes, rest) = rest.split_at_checked(usize::from(short & 0x7f))?;
    if length_bytes.len() > 4 {
        return None;
    }
    let length =
        length_bytes.iter().fold(0usize, |length, byte| (length << 8) | usize::from(*byte));
    rest.split_at_checked(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn certificate(algorithm: &[u8]) -> Vec<u8> {
        let mut identifier = vec![OBJECT_IDENTIFIER, algorithm.len() as u8];
        identifier.extend_from_slice(algorithm);
        let mut body = vec![SEQUENCE, 0x81, 0x80];
        body.extend([0; 0x80]);
        body.extend([SEQUENCE, identifier.len() as u8]);
        body.extend(identifier);
        let mut certificate = vec![SEQUENCE, 0x82, 0x00, body.len() as u8];
        certificate.extend(body);
        certificate
    }

    #[test]
    fn the_hash_is_the_one_of_the_signature() {
        let hash_length =
            |algorithm: &[u8]| end_point_hash(&certificate(algorithm)).map(|hash| hash.len());
        assert_eq!(hash_length(&[RSA, &[5]].concat()), Some(32));
        assert_eq!(hash_length(&[RSA, &[11]].concat()), Some(32));
        assert_eq!(hash_length(&[ECDSA_SHA2, &[3]].concat()), Some(48));
        assert_eq!(hash_length(&[RSA, &[13]].concat()), Some(64));
        assert_eq!(hash_length(&[0x2b, 0x65, 0x70]), None);
    }

    #[test]
    fn a_certificate_that_is_cut_off_has_no_hash() {
        let whole = certificate(&[RSA, &[11]].concat());
        for end in 0..whole.len() {
            assert_eq!(end_point_hash(&whole[..end]), None);
        }
    }
}
