//! One signature file, as `ssh-keygen -Y sign` writes it.

use ssh_key::public::{KeyData, PublicKey};
use ssh_key::{HashAlg, SshSig};

use crate::Namespace;

/// The most bytes of a signature file. An RSA key of 16 384 bits makes one of 6 000.
pub const SIGNATURE_BYTES_MAX: u64 = 16 * 1024;

/// The first line of a signature. No text may precede it, so a signature file cannot carry other content. PEM readers skip
/// such text, but `ssh-keygen` does not.
const BEGIN: &[u8] = b"-----BEGIN SSH SIGNATURE-----\n";

/// The last line of a signature.
const END: &[u8] = b"\n-----END SSH SIGNATURE-----";

/// The characters of a line of Base64, as `ssh-keygen` writes them.
const LINE_WIDTH: usize = 70;

/// The bit that a hardware key sets in a signature if a person touched it (U2F raw message formats, §5).
const USER_PRESENT: u8 = 1;

/// Why bytes are not a signature.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotASignature {
    /// Not in the form that `ssh-keygen -Y sign` writes.
    #[error("it is not an SSH signature as `ssh-keygen -Y sign` writes it")]
    Form,
    /// The namespace is neither that of approvals nor that of requests.
    #[error(
        "its namespace is {0:?}; sign with `-n gatepost-approval` to approve a request, or with `-n gatepost-request` to make one"
    )]
    Namespace(String),
}

/// A parsed signature, not yet verified.
#[derive(Debug, Clone)]
pub struct Signature {
    signature: SshSig,
    namespace: Namespace,
}

/// A signature file that contains only a signature, of any namespace.
pub(crate) fn parse_armored(bytes: &[u8]) -> Option<SshSig> {
    let armor = (bytes.len() as u64 <= SIGNATURE_BYTES_MAX).then(|| canonical(bytes)).flatten();
    let signature = armor.and_then(|armor| SshSig::from_pem(armor).ok());
    let has_room = |signature: &SshSig| signature.version() != SshSig::VERSION || !signature.reserved().is_empty();
    signature.filter(|signature| !has_room(signature))
}

/// The armor with the line width of `ssh-keygen`, which reads lines of any width and ending, with blanks. Unlike `ssh-keygen`,
/// this allows only blanks after the end.
fn canonical(bytes: &[u8]) -> Option<Vec<u8>> {
    let rest = bytes.strip_prefix(BEGIN)?;
    let end = rest.windows(END.len()).position(|window| window == END)?;
    let (body, after) = (&rest[..end], &rest[end + END.len()..]);
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0x0b;
    if !after.iter().all(is_blank) {
        return None;
    }
    let text: Vec<u8> = body.iter().copied().filter(|byte| !is_blank(byte)).collect();
    let lines: Vec<&[u8]> = text.chunks(LINE_WIDTH).collect();
    Some([BEGIN, &lines.join(&b'\n')[..], END, b"\n"].concat())
}

impl Signature {
    /// Reads the bytes of a signature file, which must contain only the signature.
    pub fn parse(bytes: &[u8]) -> Result<Self, NotASignature> {
        let signature = parse_armored(bytes).ok_or(NotASignature::Form)?;
        let named = signature.namespace();
        let namespace = Namespace::ALL.into_iter().find(|namespace| namespace.as_str() == named);
        let namespace = namespace.ok_or_else(|| NotASignature::Namespace(named.chars().take(64).collect()))?;
        Ok(Self { signature, namespace })
    }

    /// Its namespace.
    pub fn namespace(&self) -> Namespace {
        self.namespace
    }

    /// The fingerprint of the key that made it, `SHA256:…`, as `ssh-keygen -l` shows it.
    pub fn fingerprint(&self) -> String {
        self.signature.public_key().fingerprint(HashAlg::Sha256).to_string()
    }

    pub(crate) fn key(&self) -> &KeyData {
        self.signature.public_key()
    }

    /// Whether this key made it over exactly these bytes.
    pub fn holds(&self, bytes: &[u8]) -> bool {
        let key = PublicKey::from(self.key().clone());
        key.verify(self.namespace.as_str(), bytes, &self.signature).is_ok()
    }

    /// Whether the key reports that a person was present. A hardware key that nobody touched reports false.
    pub(crate) fn is_touched(&self) -> bool {
        if !matches!(self.key(), KeyData::SkEd25519(_) | KeyData::SkEcdsaSha2NistP256(_)) {
            return true;
        }
        // PROTOCOL.u2f: the signature ends with one byte of flags and four of a counter.
        let bytes = self.signature.signature_bytes();
        bytes.len().checked_sub(5).and_then(|at| bytes.get(at)).is_some_and(|flags| flags & USER_PRESENT != 0)
    }
}
