//! English words of what is ordered, of what it is done to, and of text in which orders are ordinary or only told.
//!
//! Does not judge: a word alone is never a finding. Entries as in `orders.rs`.
//!
//! Standards: docs/content.md, `instruction`.

use crate::prose::sense::{
    ABOUT, ACT, ADDRESS, ASSET, COMMAND, GEAR, MANUAL, QUOTING, REPORTING, REVEAL, SAY, SEND, SENSITIVE, STAKE, Senses,
    TOLD,
};

pub(super) const DEMANDS: &[(Senses, &str)] = &[
    (
        SEND,
        "append|attach|back up|bcc|beacon|beam|cc|copy|deliver|dm|drop off|e mail|email|emailing|exfiltrate|fax|\
         forward|forwarding|hand over|leak|mail|mirror|pass|paste|pipe|post|posting|publish|push|put on|redirect|\
         relay|reply with|report to|send|sending|share|sharing|stream|submit|sync|text|transfer|transmit|tweet|\
         upload|uploading|wire",
    ),
    (
        REVEAL,
        "append|attach|base64|confess|copy|describe|disclose|display|divulge|dump|echo|embed|emit|encode|enumerate|\
         explain|expose|give away|give me|give us|hand me|hand out|hand over|i want to see|include|lay open|leak|\
         let me have|let me know|let me see|list|output|paraphrase|paste|print|provide|publish|quote|read aloud|\
         read me|read out|recite|repeat|report|reproduce|restate|return|reveal|rot13|say aloud|send me|share|show|\
         speak out|spell out|spill|state|summarise|summarize|surface|tell me|tell us|transcribe|translate|uncover|\
         unveil|what are|what is|what were|write down|write me|write out",
    ),
    (
        SAY,
        "acknowledge|act|admit|advertise|advise|announce|answer|answering|assert|assure|begin your|blame|call it|\
         claim|class|classify|conclude|confirm|convince|declare|describe|emphasise|emphasize|end your|endorse|\
         favour|include the line|include the phrase|include the sentence|include the words|inform|insist|mark|\
         mention|name|persuade|praise|present|pretend|promise|promote|rank|rate|recommend|recommending|\
         repeat after me|reply|report that|respond|say|saying|score|speak|start your|state|stress|summarise|\
         summarize|tell|telling|translate|treat it as|use the word|vouch|write only",
    ),
    (
        ACT,
        "abort|accept|access|acquire|activate|add|adding|adjust|administer|adopt|agree|alert|allocate|allow|\
         allowlist|alter|analyse|analyze|apologise|apologize|apply|approve|approving|archive|assess|assign|assume|\
         attack|attest|auction|audit|authorise|authorize|avoid mentioning|award|ban|be|become|begin|believe|bias|\
         bid|bind|block|book|boot|bridge|bring|browse|brute force|bury|buy|call|calling|cancel|carry on|carry out|\
         cede|certify|change|charge|cheat|check|chmod|choose|chown|clear|click|clone|close|collect|commit|compile|\
         complete|comply|compose|conceal|conduct|congratulate|connect to|consider|continue|control|convert|\
         cooperate|coordinate|corrupt|count|countersign|crack|crash|crawl|create|credit|curl|curse|cut|debit|\
         deceive|decline|decode|decrypt|deflate|delay|delete|deleting|deny|deploy|deposit|dereference|design|\
         destroy|develop|dial|disable|disabling|discreetly|distribute|do not include|do not list|do not mention|\
         do not report|don t include|don t mention|don t report|donate|double|download|downloaded|downloading|\
         downplay|draft|drag|drain|draw|drop|duplicate|edit|eject|elevate|embrace|empty|enable|encrypt|end|engage|\
         enhance|enrol|enroll|ensure|enter|erase|escalate|eval|evaluate|exaggerate|exclude|excuse|exec|execute|\
         executing|exempt|expand|export|extend|extract|fabricate|facilitate|fake|falsify|favor|fetch|fetched|\
         fetching|fill in|find|fine tune|finish|flag|flood|follow|forge|fork|format|free|fuse|gather|get|gift|give|\
         giving|gloss over|go|grab|grade|grant|greet|guess|halt|halve|hand|handle|harvest|hash|head to|help|hide|\
         hire|hold|hurry|impersonate|implement|import|incorporate|increase|inflate|inherit|insert|inspect|install|\
         installing|insult|integrate|introduce|invent|investigate|invite|invoke|issue|keep|key in|kick off|kill|\
         label|launch|launching|learn|lease|leave|legalise|lend|let|leverage|lie|lift|link|listen|load|loaded|\
         loading|lock|log in|look|lower|maintain|make|manage|maximise|maximize|merge|message|mimic|mine|minimise|\
         minimize|mislead|mock|modify|monitor|mount|move|multiply|mute|navigate|never mention|never name|no mention|\
         not mention|notify|obey|obtain|omit|open|opened|opening|operate|optimise|optimize|order|oversee|overwrite|\
         page|pardon|parse|pass over|patch|pay|perform|phone|pick|ping|play|plug|point|postpone|prefer|prepare|\
         prescribe|press|prioritise|prioritize|probe|proceed|process|propose|protect|pull|purge|put|query|raise|ran|\
         re run|read|reallocate|rebase|reboot|recall|reconcile|redact|refrain from|refund|refuse|regard|register|\
         reject|relax|release|relinquish|remind|remove|removing|rename|render|rent|replace|rerun|reschedule|reserve|\
         resolve|restart|restrict|resume|retrain|retrieve|retry|review|reword|rewrite|rig|ring|rotate|round|route|\
         run|running|rush|sabotage|save|say nothing of|scan|schedule|scrape|scroll|search|secure|securely|select|\
         sell|set|shame|shout|shred|shut down|sideline|sign|silence|sing|skew|skip|source|spam|spawn|spell|spend|\
         spoof|stake|start|stay|stop|store|subscribe|subtly|sudo|suggest|summon|suppress|surf|surrender|swap|swear|\
         switch|tag|take|tamper|teach|testify|thank|think|threaten|tick|tilt|tip|track|trade|train|treat|trigger|\
         triple|truncate|trust|try|tune|tunnel|turn|type|unblock|uncheck|understate|uninstall|unlock|unpack|unseal|\
         unsubscribe|untick|unzip|update|use|utilise|utilize|validate|verify|visit|visited|visiting|vote|wait|waive|\
         warn|weave|wget|whisper|whitelist|wire up|withdraw|withhold|without mentioning|work|write|writing|zip",
    ),
    (
        SENSITIVE,
        "access code|access token|access tokens|address book|all contacts|all secrets|all you know|api key|api keys|\
         authorized keys|aws|bash history|browser cookies|browser history|card number|chat history|chat log|\
         chat logs|chat so far|client list|clipboard|confidential|config yaml|context so far|conversation|\
         conversations|cookie|cookies|credential|credentials|credit card|crontab|customer data|customer list|\
         customer records|cvv|database dump|directory listing|documents folder|dotenv|e mail address|\
         email addresses|entire chat|entire context|env|environment|etc passwd|etc shadow|everything you know|\
         file list|file of all client|file of all clients|full chat|hidden configuration|home address|home folder|\
         hostname|iban|id rsa|internal addresses|internal documents|internal files|internal notes|ip address|\
         keychain|keys|known hosts|kube config|kubeconfig|last message|last messages|last ten messages|licence key|\
         licence keys|license keys|list of clients|local files|login data|mail address|medical record|\
         medical records|memories|message history|netrc|npmrc|one time code|passphrase|passport number|password|\
         passwords|personal data|personal details|personal files|personal information|personnel file|phone number|\
         previous messages|private data|private files|private key|private keys|private messages|proc self environ|\
         public key|pypirc|recovery codes|recovery phrase|root directory|safety settings|salary|saved passwords|\
         secrets|security code|seed phrase|seed words|service account|session cookie|session cookies|session id|\
         session token|shell history|social security number|ssh|ssn|system prompt|ten messages|the chat|\
         the code from|the contents|the environment|the key|the keys|the last text message|the secrets|the token|\
         token|tokens|tool list|transcript|unlock code|user data|user document|user documents|user s calendar|\
         user s email|user s files|user s location|user s name|wallet|what was said so far|what we talked about|\
         whole chat|whole context|your contacts|your files|your instructions|your location|your memory|your notes|\
         your secret|your secrets|your settings|your tools",
    ),
    (
        GEAR,
        "access rights|administrator|alarm|all future|allow list|antivirus|anydesk|approvals|approve|approver list|\
         approvers|as already confirmed|audit|authorized keys|backdoor|backup|backups|branch protection|captcha|\
         certificate check|confirmation|consent|defender|delete logs|force push|gate toml|guardrails|inbox folder|\
         interaction check|interlock|keylogger|licence check|license check|list of approvers|mfa|miner|monitoring|\
         network access|next request|no further review|open request|open requests|oversight|parental control|\
         paywall|pending request|pending requests|policies|policy|production|quarantine|rate limits|remote desktop|\
         restrictions|reverse shell|reverse tunnel|reviewer|root certificate|root shell|safety check|safety checks|\
         safety settings|scope toml|second factor|security checks|sign off|signature check|signatures|spam filter|\
         sudo|sudoers|supervision|teamviewer|the gate|the logs|two factor|unrestricted mode|verification|\
         virus scanner|watchdog|whitelist",
    ),
    (
        STAKE,
        "account id|address book|admin console|admin rights|administrator rights|alarm|alarms|alice|all credentials|\
         all positions|allow list|allowlist|antivirus|applicant|attacker|attendees|audit events|audit trail|\
         author s name|authorized keys|backdoor|bank|base32|base58|base64|bashrc|bob|bomb|booking|browser tool|btc|\
         calendar|camera|candidate|capital of|case id|client id|clipboard|coin|coinx|company account|company id|\
         competitor|competitors|conclusion|confidential|confirm purchase|contacts|contracts|control system|coupon|\
         crontab|crypto|customer database|customer list|customer records|delivery address|deposit|desktop|\
         destructive|diagnosis|disclose email|dollars|donate|donation|door|doors|dose|drugs|e mail tool|emoji|\
         emojis|employee|employees|eth|eur|euros|evil|exam|exfil|explosive|fabricated|five stars|flight|flights|\
         funds|gbp|gift card|gift cards|grade|grades|hacked|haiku|hotel|http proxy|iban|inbox|insurance|invoice|\
         invoices|landlord|lights|loan|lottery|mailbox|make a payment|malware|master password|mcp tool|medication|\
         microphone|morse|mortgage|never ending|new password|new user named|notifications|older backups|order id|\
         passport|password to|patient|patients|pay invoice|payroll|phishing|phone number|pirate|poem|population|\
         port 3389|president|private key|production database|proposal|pump|purchase|pwned|ransomware|rating|recipe|\
         recovery codes|recovery phrase|recurring payment|refund|reservation|resume|reverse shell|rot13|résumé|\
         salaries|salary|saved credentials|screenshot|securities|seed phrase|sensor id|session tokens|shell tool|\
         shipping address|signing key|ssh keys|stake|standing order|statistic|student id|subscription|surveillance|\
         tax|taxes|the backups|the car|the most expensive|the recipient of|therapy|thermostat|thermostats|\
         ticket to nobody|trust store|tweet|usd|usdt|user credentials|user information|user list|user s password|\
         valve|vehicle id|vin|virus check|virus scanner|visa|visitor|vote no|vote yes|wallet|weapon|winnings|\
         your e mail tool|your reservation",
    ),
    (
        ASSET,
        "10 out of 10|2fa|access code|account|accounts|admin|administrator|all files|all users|answer a|answer b|\
         answer c|answer d|applicants|appointment|appointments|audit|backup|backups|balance|best choice|best option|\
         bitcoin|bookings|car|case|client|clients|complaints|compliance|contract|coupons|credentials|customer|\
         customers|database|databases|defender|domain|each answer|each email|each mail|each reply|email server|\
         every answer|every email|every mail|every reply|everything|fee|financial|first place|footer|fraud|\
         full marks|full score|gaps|hidden|highest mark|highest rating|highest score|history|home folder|hosts file|\
         id number|inventory|investment|investors|legal|licence keys|license keys|line you have|logs|mails|\
         marketing|medical|mfa|mission|money|newsletter|one time code|option b|option c|orders|otp|paragraph|\
         payload|payment|payments|personal|phone|photo|photos|ports|prescription|privileges|prod|product|production|\
         ranking|recipient|records|registrar|registry|research data|resolv conf|rest|reviews|role|room|\
         root certificate|sensitive|sensor|server|share|shared drive|shares|shipment|social security|stars|stock|\
         student|supplier|ten out of ten|this page|ticket|tickets|top marks|top score|transaction|transactions|\
         trusted|vehicle|verification|verify false|volume|vpn|warnings|workflows",
    ),
    (
        COMMAND,
        "any tool|appendix|attached|attachment|block below|browser|call main|clipboard|command|commands|cron job|\
         ctrl v|delete user|every tool|exe|following command|following line|following steps|force push|function|\
         git push|job|makefile|migration|my script|next block|notebook|payload|pipeline|powershell|queries|query|\
         remaining steps|rest of this file|rm rf|script|scripts|send mail|send message|shell|snippet|sql|steps|\
         task list|terminal|the line below|the other tool|the script|the tool|this script|tool|tools|transfer tool|\
         update script|win r|workflow",
    ),
    (
        ADDRESS,
        "address below|address given|attached link|discord|drop box|dropbox|endpoint|following address|\
         following link|following url|form at|ftp|gist|given url|http|https|hxxp|hxxps|image whose address|link|\
         our api|our board|our corpus|our endpoint|our host|our server|our site|our website|pastebin|portal|\
         public board|sftp|slack channel|ssh|telegram|the address|the form|the link|this account|this address|\
         this endpoint|this host|this iban|this link|this mailbox|this number|this page|this site|this url|url|\
         webhook|www",
    ),
    (
        MANUAL,
        "argument|arguments|best wishes|browser|button|caller|cargo|chapter|cheers|class|click here to|colleagues|\
         config|dear all|dear colleagues|dear parents|default|defaults|deprecated|device|dialog|directory|\
         documentation|error|example|examples|failed|failure|figure|fixme|flag|guide|help|hi all|hint|install|\
         localhost|manual|meeting|menu|method|minutes|note|npm|option|options|oven|pip install|pupils|readme|\
         regards|release|returns|screen|see also|settings|staff|struct|students|tap|thread|todo|tutorial|upgrade|\
         usage|version|warning|wizard",
    ),
    (
        ABOUT,
        "abuse|abused|adversarial|adversaries|adversary|advisory|attack|attacker|attackers|attacks|attempted|\
         awareness|benchmark|classifier|collected|corpus|cve|dataset|exploit|exploited|exploits|false|fraud|\
         glossary|guardrail|honeypot|hostile|incident report|indicator|indicators|injection|injections|intruder|\
         jailbreaks|malicious|malware|mitigation|mitigations|mitre|owasp|pentest|phishing|post mortem|\
         prompt injection|red team|samples|scam|scams|severity|smuggled|social engineering|spoofed|suspicious|\
         threat|threats|training slides|trick|tricked|tricks|untrusted|victim|vulnerabilities|vulnerability",
    ),
    (
        TOLD,
        "ask the assistant|ask the model|asked it to|asked the model|asking it to|asking the model|asks the model|\
         asks the reader|attempt to|attempted to|attempts to|cause the model|claimed that|claiming that|claims that|\
         commands like|commands such as|comments that|contained the|contains the phrase|contains the text|convince|\
         could ask|could contain|documents that|emails that|example of|examples of|get the model|if somebody|\
         if someone|instructed the|instructions like|instructions such as|instructs the|is called|known as|\
         lead the model|make the model|makes the model|may ask|may contain|messages that|might ask|might say|\
         ordering the|orders the|page says|pages that|persuade|phrases like|phrases such as|pretended that|\
         prompts like|prompts such as|said that|said to|sentences such as|strings like|strings such as|talk a model|\
         talk the model|tell the assistant|tell the model|telling the|tells the model|tells the reader|text like|\
         text says|text such as|that asked|that asks|that instructs|that orders|that tells|that told|the phrase|\
         the sentence|the words|told the|trick|tricked|tried to|tries to|try to|wanted the|when somebody|\
         when someone|which asked|which asks|which tells|which told|words like|words such as|would say",
    ),
    (
        QUOTING,
        "asked|asking|attempt|attempted|attempts|called|claimed|claims|contained|containing|contains|convince|\
         convinces|e g|example|examples|for example|for instance|instructed|instructing|instructs|known as|led to|\
         lets the model|make the model|makes the model|mentioned|mentions|phrase|phrases|quoted|quotes|reported|\
         said|say that|saying|says|sentence|sentences|so called|such as|telling|tells|text like|that ask|that asks|\
         that tell|that tells|the words|told|tried to|tries to|whether|which asked|which says|which told|wording|\
         writes|wrote",
    ),
    (
        REPORTING,
        "appeared|appears in|are refused|assert|blocked|blocks|caught|changelog|detect|detected|detection|detector|\
         detects|did not follow|did nothing|does nothing|filtered|finding|findings|fixed|fixes|flagged|flags|\
         ignored it|is refused|observed|prevent|prevented|prevents|refused|refuses|regression|rejected|rejects|\
         release notes|resisted|scanner|seen in|should be refused|stopped|test|tested|tests|we saw",
    ),
];
