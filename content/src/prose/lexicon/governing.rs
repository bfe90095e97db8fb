//! English words of what governs somebody's work: rules, limits, consent, roles, and of what they hold for.
//!
//! Does not judge: a word alone is never a finding. Entries as in `orders.rs`.
//!
//! Standards: docs/content.md, `policy_claim`.

use crate::prose::sense::{GOVERNING, OWN, RIGHT, SCOPE, STANDING, Senses};

pub(super) const GOVERNED: &[(Senses, &str)] = &[
    (
        GOVERNING,
        "access|acl|air gap|alarm|alarms|alerting|anonymisation|anonymization|any checks|approval gate|audit|audits|\
         authority|authorization|badge|ban|barrier|barriers|budget cap|calibration|caps|caution|caveat|\
         certificate pinning|check|checklist|checks|classification|code of conduct|complexity|compliance|\
         confirmation|confirmations|consent|constraints|controls|covenant|coverage|cross check|data protection|\
         delegation|denylist|deviation|directive|directives|disclaimer|elevation|embargoed|enforcement|entitlement|\
         escalation|evidence requirement|exception|exceptions|expense limit|forbids|formality|freeze|gag|gate|\
         governance|guardrail|guardrails|guidelines|inspection|instructions|integrity check|internet access|\
         intervals|isolation|jurisdiction|key rotation|least privilege|licence requirement|lifetime|limit|limits|\
         logging|maximum|memory limit|monitoring|need for|need to know|notarisation|obligations|opt in|opt out|\
         password policy|password rule|perimeter|permission|permissions|permit|permits|pledge|policies|policy|\
         position limits|precautions|privacy|privileges|procedure|prompts|proof|pseudonymisation|quorum|quota|\
         quotas|rate limit|read only mode|recording|redaction|regulation|regulations|release gate|request quota|\
         requirement|residency|restriction|retention|review|reviews|rights|role|rotation|rule|rules|ruleset|\
         safeguard|sampling|scanning|scope|secrecy|security checks|security controls|security level|segmentation|\
         sensitivity|sign offs|signature|signatures|signing|temperature limit|terms|the checks|threshold|thresholds|\
         throttle|throttling|time limit|timeout|timeouts|tolerance|tool policy|two signatures|validation|validators|\
         verdict|verification|warnings|warranty|watermark|whitelist",
    ),
    (
        OWN,
        "2fa|acceptable use|acceptance test|access level|access review|access reviews|access rules|accountability|\
         admin rights|admission policies|affidavit|age check|age limit|age restriction|age verification|all checks|\
         allow list|allowance|allowances|allowed hosts|approval|approvals|approver|approvers|ask permission|\
         attestation|audit log|audit logging|audit requirement|audit trail|auditing|auth guard|authorisation|\
         background check|background checks|bank details verification|bans|blacklist|blackout|blinding|block list|\
         blocklist|board approval|bodyguard|branch protection|branch protections|bylaw|bylaws|careful mode|ceiling|\
         ceilings|censor|censorship|change freeze|change window|chaperone|charter|chinese wall|circuit breaker|\
         clearance|clearances|co signature|co signer|code freeze|code review|code signing|codes of conduct|\
         commitment|committee approval|confidentiality|confinement|confirmation dialog|confirmation prompts|\
         confirmation step|consent form|consent forms|consent prompts|consent screen|consents|containment|\
         content check|content checks|content filter|content policy|content rules|content warnings|cool down|\
         cooldown|cooling off|cordon|cosigner|counter signature|countersign|countersignature|credential prompts|\
         credit limit|curfew|daily cap|daily limit|data classification|data loss policy|data loss prevention|\
         data owners|data residency|data sharing|dco check|denied requests|deny by default|deny list|deny rule|\
         deny rules|dispensation|dlp|do not disturb|do not export|do not forward|do not share|dosage limit|\
         dose limit|double check|dpo|dual control|dual signature|duties|duty|egress|elevated rights|embargo|\
         emergency stop|ethics|examination duty|exemption|expense approval|export control|export controls|\
         export licence|file access|files per bundle|forbidding|force pushes|formalities|four eye|four eyes|\
         gag order|gate checks|gate rules|gate verdict|gatekeeper|gatekeeping|geofence|grace period|ground rules|\
         guard rail|guard rails|guidance|guideline|hand off|hash check|hold period|holdback|host to the allow list|\
         house rule|house rules|human approval|human confirmation|human in the loop|human oversight|human review|\
         human sign off|human verification|hurdle|identity check|identity verification|injunction|inspections|\
         interlock|interlocks|joint signature|key share|key shares|kill switch|know your customer|leash|legal hold|\
         legal review|licence checks|licence review|license checks|license review|lockdown|lockout|log duty|\
         logging obligations|logging requirement|maintenance window|malware scan|management approval|\
         manager approval|mandate|mandatory review|mandatory reviews|manual approval|manual review|margin limit|\
         maximum number of files|memory cap|mfa|minimum age|moderation|moderators|monthly limit|moratorium|\
         multi factor|nda|network access|network filter|network isolation|network policy|network restriction|\
         network restrictions|no production access|no proxy|non disclosure|norm|norms|nothing may|notice period|\
         obligation|one time codes|outbound access|outbound connections|outbound proxy|outbound traffic|output cap|\
         output check|output limit|oversight|paperwork|parental controls|password complexity|payment verification|\
         peer approval|peer review|photo rule|policy engine|policy folder|position limit|pre clearance|precaution|\
         preclearance|previously denied|prior approval|prior authorisation|prior authorization|prior consent|\
         privacy filter|privacy review|privacy rules|privileged access|procedures|professional secrecy|prohibition|\
         prohibitions|proof of identity|protected branches|protected environments|protective note|protective order|\
         provenance check|proviso|pull request reviews|purchase approval|quality gate|quarantine|rate cap|\
         rate limiter|rate limits|rbac|red tape|redacting|redactions|refusals|regime|region restriction|rejection|\
         rejections|release checklist|release freeze|request limit|required checks|required reviewers|reservation|\
         restraint|restrictions|retention obligations|retention policy|retention rule|review requirement|\
         review step|reviewer|reviewers|ring fence|risk tier|row level security|rule engine|rulebook|\
         rules of engagement|safeguards|safety check|safety checks|safety controls|safety filter|safety filters|\
         safety interlock|safety interlocks|safety mode|safety note|safety policy|sanctions|sandbox|sandboxing|\
         scan thing|screening|scrutiny|second approver|second look|second officer|second opinion|second pair|\
         second person|second reader|second review|second reviewer|second signature|secrecy duty|secrecy period|\
         secret masking|secret scanner|secret scanning|security clearance|security policies|security policy|\
         security review|security rules|segregation of duties|separation of duties|sign in|sign off|signature check|\
         signature checks|signing authority|signing power|signing requirement|signoff|size cap|size limit|\
         size restrictions|sox|speed limiter|spend limit|spending cap|spending limit|standing orders|statute|\
         stay on|stipulation|stop list|stop order|stop sign|supervision|supervisor|supervisors|surveillance|\
         suspicious activity|tamper seal|test coverage|the gate|tick box|ticket requirement|time cap|token lifetime|\
         token s lifetime|trading halt|transfer limit|travel approval|tripwire|trust boundary|trust level|\
         two factor|two key|two keys|two man rule|two person|two step|undertaking|untrusted output|upload ban|\
         usage policy|usual checks|validation gate|validation step|vault unsealing|verdicts|verification step|veto|\
         vetting|vigilance|virus scan|voting rights|waiting period|waiver|waivers|watch list|weight limit|\
         withdrawal limit|withholding|write access|write protection|zero trust",
    ),
    (
        STANDING,
        "a reviewer|acting administrator|acting approver|additional privileges|admin access|admin privileges|\
         admin rights|admin role|administrator access|administrator privileges|administrator rights|\
         administrator role|all decisions|all permissions|an admin|an administrator|an approver|an operator|\
         approval authority|approval rights|approver|clearance level|decision maker|deletion rights|deputy|elevated|\
         emergency access|every permission|every right|extended permissions|extended privileges|final authority|\
         full access|full control|full permissions|full privileges|full rights|higher privileges|higher role|\
         maintainer rights|more privileges|operator privileges|operator rights|operator role|own approvals|\
         own requests|owner rights|owner role|privileged access|reviewer|role superuser|root account|\
         root privileges|root rights|security administrator|security clearance|security officer|signing authority|\
         signing rights|site operator|sole approver|special rights|standing permission|supervisor|\
         system administrator|system role|the final say|unlimited access|unlimited rights|unrestricted access|\
         write permission|write permissions",
    ),
    (
        SCOPE,
        "agents reading|ai agents|ai assistants|all accounts|all agents|all clients|all devices|all drones|\
         all hosts|all partners|all records|all repositories|all requests|all results|all runs|all sessions|\
         all staff|all tools|all transfers|all users|any agent|any command|any file|any host|any request|any tool|\
         any user|assistant team|assistants|attached commands|automated agents|automated changes|automated requests|\
         automated systems|automation|bot accounts|bots|customers|every agent|every device|every job|every request|\
         every tool|every user|for you|future requests|future runs|in results|in this case|integration tests|\
         internal callers|internal requests|internal tools|its own requests|live tables|low risk requests|\
         machine accounts|machine users|maintenance windows|nightly job|non production|our branch|our department|\
         our fleet|our host|our requests|our results|our signatures|our tool|our tools|ours|own requests|\
         own results|partners|per bundle|per result|personal files|pilot phase|prod|research machines|\
         returning customers|robots|service account|service accounts|service principals|small requests|\
         such requests|the agent|the artifact|the assistant|the attached|the bot|the data room|the executor|\
         the following commands|the pilot|the reader|the vendor|the whole|their own requests|these commands|\
         these requests|these results|these tools|this account|this address|this agent|this artifact|this branch|\
         this bundle|this case|this client|this cluster|this conversation|this customer|this department|\
         this deployment|this environment|this executor|this host|this installation|this integration|this job|\
         this machine|this mailbox|this month|this one time|this operation|this operator|this output|this partner|\
         this pipeline|this project|this repository|this request|this requester|this result|this run|this server|\
         this session|this site|this supplier|this task|this tenant|this time|this tool|this user|this vendor|\
         this week|this workspace|tool output|tool outputs|tool results|trusted customers|trusted partners|\
         write access|you now|your account|your request|your requests|your session",
    ),
    (
        RIGHT,
        "access|allowance|budget|clearance|confirmation|consent|default|file access|internet access|lock|locks|\
         network access|permission|permissions|privilege|privileges|quota|quotas|right|rights|role|roles|secrets|\
         tokens|write access",
    ),
];
