//! English words of what becomes of a rule or a limit, and of what shows that it is claimed here.
//!
//! Does not judge: a word alone is never a finding. Entries as in `orders.rs`.
//!
//! Standards: docs/content.md, `policy_claim`.

use crate::prose::sense::{
    AUTHORITY, BEING, DENIED, EXCUSE, FADED, FREED, GIVEN, HERE, LOOSEN, NOW, ORDINARY, PAST, Senses, TRUSTED, TURNED,
    UNDONE, WISH,
};

pub(super) const CLAIMS: &[(Senses, &str)] = &[
    (
        UNDONE,
        "a formality|a guideline|a leftover|a mere|a no op|a recommendation|a relic|a suggestion|\
         a thing of the past|a waiver|abandon~|abolish|abolish~|abolition|absolve~|allow listed|an exemption|\
         annulled|annul~|answered in advance|any longer|any more|applies only to|apply only to|are advisory|\
         are gone|are no longer|are none|are open|are optional|are permanent|are redundant|are suspended|\
         are unnecessary|are void|are waived|aren t enforced|aren t mandatory|aren t necessary|aren t needed|\
         aren t required|as an exception|as over|asleep|barred|bars no|be lifted|been abolished|been bypassed|\
         been disabled|been discontinued|been lifted|been loosened|been overridden|been overruled|been relaxed|\
         been rescinded|been retired|been revoked|been superseded|been suspended|been switched off|been taken down|\
         been taken off|been turned off|been waived|been withdrawn|behind us|broadened|by way of exception|\
         bypass approval|bypass enabled|bypass review|bypass the gate|bypassed for|bypasses|called off|\
         came to an end|can be disregarded|can be ignored|can be left out|can be omitted|can be skipped|can bypass|\
         can disregard|can ignore|can skip|cancelled|cancel~|carries no|carry no|carve out|cease|cease~|\
         certified unnecessary|check disabled|checks disabled|circumvent~|clear of|cleared away|collapse~|\
         concern only|cosmetic|crossed out|cut to zero|deactivate~|dead letter|declassify~|decommission~|decorative|\
         deferred|defer~|demote~|detach~|did away|disabled by|disabled for|disabled site|disappear~|disband~|\
         discards|discharge~|disconnect~|discontinue~|discretionary|dismantle~|dispensable|dispensation|dispense~|\
         disregard~|dissolve~|do not apply|do not concern|do not count|do not exist|do not extend to|do not hold|\
         do not need approval|do not need permission|do not require|does not apply|does not concern|does not count|\
         does not hold|does not look|does not need|does not require|doesn t apply|doesn t count|doesn t need|\
         doesn t require|don t apply|don t count|don t need approval|don t need permission|don t require|done away|\
         dormant|doubled|downgrade~|ease~|eliminate~|empty~|ended|erase~|evaporate~|exceeded|excluded from|excuse~|\
         exempt|exemption from|exempt~|expired on|expired with|extinguish~|fade~|fall away|fallen away|\
         fallen into disuse|falls away|fell away|for show|forgave|forgiven|forgo|forgoes|forgone|forgotten about|\
         formality|forwent|free from|freed from|given up|go away|goes away|going away|gone as well|\
         granted an exception|granted to all|hang up|has been dropped|has been removed|has ended|has expired|\
         has lapsed|has no bearing|has no effect|has no force|has no limits|have been dropped|have been removed|\
         have ended|have expired|have lapsed|have no force|historical|hollow|hush~|immaterial|in abeyance|\
         in advance|inapplicable|increased|ineffective|inert|inoperable|inoperative|instead of three|instead of two|\
         irrelevant|irrespective of|is a no op|is advisory|is dead|is deprecated|is exempt|is gone|is historical|\
         is history|is lifted|is moot|is no longer|is not considered|is offline|is open|is optional|is overridden|\
         is redundant|is superseded|is suspended|is unnecessary|is unreviewed|is void|is waived|isn t enforced|\
         isn t mandated|isn t mandatory|isn t necessary|isn t needed|isn t required|just a formality|\
         just recommendations|kept no|lapse|lapse~|lengthened|lenient|let go|lifted|limitless|loosening|loosen~|\
         lost its validity|lowered|made optional|made voluntary|marked as passed|marking void|may be disabled|\
         may be disregarded|may be ignored|may be left out|may be muted|may be omitted|may be skipped|\
         may be switched off|may be turned off|may bypass|may disregard|may ignore|may skip|melt~|mere formality|\
         merely recommendations|moot|more of a suggestion|mothballed|mute~|n t apply|n t need|need no approval|\
         need no review|need not|needn t|needs no approval|needs no review|neutralise~|neutralize~|never required|\
         nil|no approval is|no approval needed|no approvals|no checks|no consent|no effect|no further approval|\
         no further review|no gate|no limit|no limits for|no logging|no longer applies|no longer apply|\
         no longer asked|no longer binding|no longer bound|no longer checked|no longer considered|no longer counts|\
         no longer enforced|no longer exist|no longer exists|no longer goes|no longer has to|no longer have to|\
         no longer hold|no longer holds|no longer in force|no longer mandatory|no longer necessary|\
         no longer need to|no longer needed|no longer required|no longer reviewed|no longer subject|\
         no more necessary|no objection|no obstacle|no one asks|no one checks|no one has to|no one minds|no proxy|\
         no questions|no restrictions for|no review is|no review needed|no second|no sign off|no signature|\
         no ticket|nobody asks|nobody checks|nobody enforces|nobody has to|nobody minds|non binding|none exist|\
         none necessary|none needed|none of the|none required|noop|not any more|not applicable|not apply to|\
         not asked|not be kept|not bind|not binding|not bound|not compulsory|not concern|not enforced|not extend|\
         not hold for|not in effect|not in force|not inspected|not mandated|not mandatory|not meant for|\
         not more necessary|not necessary|not needed|not obligatory|not required|not restricted|not reviewed|\
         not scanned|not subject|not there|not what it used to be|now exempt|now gone|now history|now open|\
         now optional|now redundant|now void|now without|null and void|nullify~|of no effect|off duty|off limits no|\
         off the books|off the table|on hold|on holiday|on leave|on vacation|only a recommendation|\
         only for visitors|only guidelines|only recommendations|open to all|opened to|opened up|opens up|opted out|\
         out of force|out of the loop|outdated|outgrow~|outlive~|overridden|override the built in|overrided|\
         overrides the earlier|overrode|overrule~|overtaken|overtake~|overturn~|paper tiger|parked|past date|\
         past its date|past the need|pause~|permissive|phased out|pointless|posted in error|prevails|prolonged|\
         pure formality|purely advisory|pushed back|put aside|put on hold|put to rest|quadrupled|quash~|\
         quietly dropped|raised|ran out|recommendations only|reduced|relaxed|released from|relief|relieve~|\
         relinquish~|removes|repeal|repeal~|require no|required no|requires no|rescind~|retire~|revoke~|rolled back|\
         ruled out|run out|runs out|scrapped|scrap~|scratched|self approval|set to none|set to null|\
         set to unlimited|set to zero|shelve~|shut off|sidestepped|sidestep~|silence~|skip approval|skip it|\
         skip review|skip the approval|skip the gate|skip the queue|skip the review|skips|slacken~|soften~|spare~|\
         special permission|stand down|stands down|step removed|stood down|stop asking|stop requiring|\
         stopped asking|stopped requiring|stops|struck|sunset|superfluous|supersede all|supersede~|surrendered|\
         suspend~|suspension|switch off|switched off|switched to permissive|take precedence|taken away|taken back|\
         taken care of|taken down|taken off|taken out|takes precedence|taking off|terminates|there s no|threw out|\
         thrown away|thrown out|to zero|tolerated|toned down|took away|took back|took down|took off|took out|\
         toothless|tripled|turned down|turned off|unattended|unblock~|uncapped|uncap~|undone|undo~|unenforceable|\
         unenforced|uninstall~|unlimited|unlock~|unmanned|unmonitored|unneeded|unplugged|unplug~|unrestrict~|\
         unseal~|unstaffed|unsupervised|vacant|vacated|vanish~|void from|void~|voluntary|waive|waiver|waive~|\
         waiving|warn only|was a mistake|was abolished|was bypassed|was cancelled|was disabled|was dropped|\
         was ended|was lifted|was no longer|was over|was overruled|was relaxed|was removed|was retired|\
         was suspended|was switched off|was waived|was withdrawn|waved away|weaken~|went away|went offline|\
         were abolished|were cancelled|were disabled|were dropped|were lifted|were no longer|were relaxed|\
         were removed|were suspended|were switched off|were waived|were withdrawn|wide open|widened|wins over|wipe~|\
         withdraw|withdrawn|withdraws|withdrew|without a permit|without a review|without a sandbox|\
         without a signature|without an approver|without approval|without approvals|without asking|without checking|\
         without checks|without confirmation|without consent|without effect|without further|without human|\
         without limit|without limits|without permit|without restrictions|without review|without sandbox|\
         without sign off|without signature|without signatures|without signing|without supervision|\
         without the sandbox|without the usual|without validation|without verification|wound down|wound up|\
         zero reviewers",
    ),
    (
        FADED,
        "are disabled|be bypassed|bumped|by mistake|commented out|delete~|disable~|discarded|do not need|dropped|\
         exceeds|excluded|excludes|exist|expanded|expire~|extended|falls|fine|freed|gone|ignored|in error|inactive|\
         is bypassed|is disabled|leftover|no limits|no longer|no need|no new|no op|no restrictions|none of the|\
         not apply|only applies to|opened|overrides|pulled|redundant|removed|shorter|shut down|stale|stopped|\
         stripped|terminated|there are no|undo|unnecessary|unsigned|void|without restriction",
    ),
    (
        TURNED,
        "adjust~|alter~|amend~|are now|became|been changed|been declassified|been doubled|been downgraded|\
         been expanded|been extended|been increased|been lowered|been merged|been raised|been reclassified|\
         been reduced|been replaced|been set to|been widened|broaden~|brought up to|bumped|carve~|change~|converts|\
         double~|expand~|extended|flip~|goes up|grew|grown|has become|has been set to|increase~|is changed|is now|\
         is set to|lengthen~|lies with|lower~|made into|merged into|merges|migrate~|modify~|moved from|moved over|\
         moved to|moves|new limit|new limits|new policy|new rule|new rules|now covers|now equals|now include|\
         now includes|now means|now read|now reads|now runs to|now stand at|now stands|now unlimited|overhauled|\
         passed to|passes to|prolong~|quadruple~|raised|re rated|reassign~|recast|reclassify~|reconfigure~|\
         redefine~|redrawn|reduce~|relabelled|relabel~|replaced|resets|restore~|rests with|revise~|reworded|\
         rewrites|rewritten|rewrote|set to|shift~|shorten~|supplement~|switch~|transferred|transfer~|transitioned|\
         triple~|turned into|up to the|updated|upgrade~|was changed|was declassified|was doubled|was downgraded|\
         was expanded|was extended|was increased|was lowered|was moved|was raised|was reduced|was replaced|\
         was set to|was switched to|was widened|went from|went up|were changed|were extended|were lowered|\
         were raised|were reduced|were replaced|were set to|were switched|widen~",
    ),
    (
        GIVEN,
        "accepted in bulk|accredit~|act as|act with|acting as|acting with|acts as|acts with|added as|added by|\
         added to the group|agreed|agrees|all clear|allowlist~|already approved|applies to all|appoint~|approval by|\
         approval from|approval given|approval has been|approval is on file|approval was given|approve~|\
         are approved|are authorised|are authorized|are hereby|are now valid|as agreed|assigned the|assigned to|\
         assigns|at your disposal|authorisation by|authorisation from|authorise~|authorization from|authorized to|\
         authorized unrestricted|authorizes|auto approved|automatic approval|automatically approved|been approved|\
         been assigned|been authorised|been authorized|been given|been granted|been informed|been obtained|\
         been settled|bestow~|blanket approval|blessed|blessing|bound to|by agreement|came through|\
         carries the authority|certify~|clear~|collected en bloc|come through|concluded|conferred|confer~|confirmed|\
         consent from|consent of|consent~|consider it|count as|countersign~|counts as|dealt with|decided that|\
         decides for|deemed|delegate~|deputise~|designated|discretion|done for you|elevate~|empower~|\
         enabled for automation|endorse~|enrolled|enrol~|entitle~|entrust~|executes with|extend to you|\
         for confirming|for the role of|fulfilled|fulfil~|full authority|gave|given consent|given full|\
         given permission|given the go|given the green light|given the role|given to|go ahead|got approval|granted|\
         green light|green lit|greenlit|handed over|handed to|handled elsewhere|has agreed|has approval|\
         has approved|has become|has been elevated|has been granted|has cleared|has consented|has decided|\
         has received|has ruled|has signed|has the authority|have agreed|have approval|have approved|have become|\
         have been granted|have been obtained|have consented|have decided|have signed|hold maintainer|hold root|\
         hold the|holds approval|holds maintainer|holds the|in charge of|in place already|in writing|inherits|\
         initialled|is a member|is approved|is authorised|is authorized|is granted|is settled|is valid for|made an|\
         may act as|moved to group|nodded through|nominated|now be|now got|now have|now hold|now holds|now in group|\
         obtains|ok d|okay~|on file|operate with|operates with|operating with|own authority|passed all|passed on to|\
         passed review|per agreement|permission by|permission from|permited|permitted|pre approved|pre authorised|\
         pre authorized|preapproved|preauthorised|preauthorized|promote~|raised to|ratify~|regard itself|regarded|\
         retroactive|retroactively|reviewed and approved|role admin|role administrator|role approver|role owner|\
         role root|role superuser|rubber stamp~|ruled that|running with|runs with|s ok|sanction~|seen as|settled|\
         sign off on|signed an exception|signed off by|signed off on|signed this|signs off|speaks for|stand in for|\
         standing approval|standing permission|status granted|taken as|taken care of|taken over|takes over|\
         thumbs up|transferred to|treat the|treated as|trusted|upgraded|valid for all|valid for every|\
         valid for your|verified|vested in|vetted|vouch|vouch~|waived for|was added to|was approved|was assigned|\
         was bound to|was elevated|was given|was granted|was informed|was made|was promoted|was told to|\
         was upgraded|wave through|waved through|were added to|were approved|were given|were granted|were promoted|\
         whitelist~|with the consent|you are an|you are authorised|you are authorized|you are the|you hold|\
         you now have",
    ),
    (
        FREED,
        "accepts results|across the board|act freely|act on own|act without|added to the allow list|\
         added to the allowlist|all following|all legs|allow by default|allowed again|also counts|also covers|\
         any amount|any file|any host|any size|anyone may|are accepted|are authorised|are authorized|are enabled|\
         are fine|are free to|are open|are trusted|are unlimited|as many as|as you like|as you please|\
         as you see fit|as you wish|at liberty|at will|at your discretion|be trusted|been allowed|been authorised|\
         been authorized|been permitted|by itself|by themselves|bypass route|can approve|can be contacted|\
         can be put|can be reached|can grant|can now|can sign|carries over|carry on|considered acceptable|\
         considered safe|considered trusted|counts for|covers all|covers the|covers this|do not expect|\
         do not have to|do not wait|entitle~|everybody|everyone may|everything is allowed|expires never|extends to|\
         feel free|fine to|for good|free to|freely|full access|full control|full rights|full set|gate accepts|\
         given access|given permission to|go beyond|go on|go through|goes through|good for all|happy for|has full|\
         has permission to|has to accept|has unlimited|has write|have full|have permission to|holds for all|in full|\
         in scope|in the allow list|indefinitely|instructed to accept|is accepted|is authorised|is authorized|\
         is fine|is free to|is okay|is open|is sufficient|is trusted|is unlimited|keep a copy|let through|let you|\
         may access|may act|may approve|may be approved|may be contacted|may be disclosed|may be handled|\
         may be ignored|may be included|may be installed|may be merged|may be opened|may be passed|\
         may be performed by|may be published|may be reached|may be read|may be released|may be shared|\
         may be skipped|may be stored|may be switched off|may be written|may bypass|may circulate|may connect|\
         may delete|may deploy|may execute|may export|may grant|may ignore|may install|may leave|may merge|may now|\
         may pass|may proceed|may publish|may push|may reach|may read|may run|may sign|may skip|may spend|may take|\
         may use any|may write|merge by|must accept|need no|need not|needs no|never ask|never expires|no ceiling|\
         no door|no end date|no limit|no limits|no need to|no objection|no questions|no supervisor|none should|\
         not ask|not expected|now accept|now accepts|now allowed|now allows|now enabled|now execute|now include|\
         now includes|now legal|now permitted|now reach|now unlimited|ok if|ok to|okay if|okay to|on its own|\
         on the allow list|on the allowlist|on the whitelist|on their own|open reason|open to|opened for|opened to|\
         ordered to accept|pass without|passes without|permanently|policy allows|policy permits|proceed|put online|\
         read personal|remain good|rules allow|safe to|same rights|set to accept|shall accept|single initiator|\
         skip the gate|straight away|suffices|that is intended|told to accept|unattended|unlimited access|\
         unrestricted|valid for all|waved through|wherever|will accept|without approval|without asking|\
         without review|you have access|you have full|you have standing|you have write|you now have",
    ),
    (
        TRUSTED,
        "are trusted|as safe|as trusted|as verified|been verified|is trusted|is verified|safe to execute|\
         safe to run|trusted|verified and",
    ),
    (
        LOOSEN,
        "abolish|adding|allow|allowlist|an exception|auto approve|be dropped|be lifted|be merged without|be raised|\
         be switched off|bypass|changed the default|deactivate|disable|disabling|dispense with|do away with|\
         do without|drop|ease|exempt|extend|forgo|giving|grant|granting|kept shorter|leave it out|let the|lift|\
         lifting|loosen|permit|pre approve|raise|raising|relax|relaxing|remove|removing|retire|skip|skipping|\
         small exception|suspend|switch off|treating|trust|turn off|waive|waiving|weaken|whitelist|widen",
    ),
    (
        HERE,
        "agent|agents|all previous|allow by default|an hour ago|as from|assistant|assistants|auditors|automation|\
         be advised|bots|cab|change board|ciso|current session|data protection officer|effective from|\
         effective immediately|effective today|emergency|ethics board|external hosts|for the duration|\
         for the time being|from now on|from this release on|from today|fyi|head of|i am|information security|\
         last week|legal|like this one|manager|network ops|notice of|null and void|of this kind|of this type|ops|\
         our side|per change|per circular|pilot|platform operations|platform team|please be informed|present result|\
         present task|processing this|production rules|regulator|review board|supervisor|the account|the gate|\
         the owner|the present|the processor|the reader|the recipient|the task|this account|this afternoon|\
         this batch|this client|this conversation|this drive|this environment|this host|this job|this line|\
         this machine|this matter|this morning|this page|this patient|this record|this request|this result|this run|\
         this session|this shipper|this subnet|this system|this table|this task|this tool|this vendor|this ward|\
         this workspace|today|tonight|tool output|until further notice|upon reading|we ve|whoever reads|whole batch|\
         with effect|with immediate effect|workspace|yesterday|yourself",
    ),
    (
        WISH,
        "am i right|appreciate|as far as i know|ask that|be advisable|be appropriate|be better|be convenient|\
         be easier|be enough|be fair|be faster|be glad|be good|be grateful|be happy if|be helpful|be kind|be nice|\
         be practical|be prudent|be reasonable|be sensible|be simpler|be wise|benefit from|better to|between us|\
         by the way|can we|could we|could you|customary|delighted if|deserves|do no harm|don t worry|\
         for convenience|friendly reminder|from what i hear|gentle reminder|good news|good practice to let|\
         grateful if|happy to confirm|harm nobody|help if|high time|hoping|how about|hurt no one|hurt nobody|\
         i believe|i think we|if anyone wonders|if it helps|in favour of|in the spirit|it is common|just to put|\
         kindly|let you know|little point|may i|may we|might i|no harm|no worries|ought to|out of courtesy|overdue|\
         p s|perhaps|please make yourself|pleased if|propose|quick note|reason to|reminder|requesting|rest assured|\
         rumour has it|save time|shouldn t be an issue|small clarification|surely|to be honest|usual practice|\
         we appreciate|we d be happy|we think|why not|wonder|would appreciate|would be good|would help|would it|\
         would let you know|would welcome|would you|wouldn t hurt",
    ),
    (
        AUTHORITY,
        "account managers|account owner|accounts department|admin|administration|approved by|audit team|auditors|\
         board decision|by order|by unanimity|ceo|cfo|change board|chief|cio|ciso|cleared by|commissioner|committee|\
         compliance officer|compliance team|council|counsel|cto|data owner|data owners|data protection officer|\
         department|devops|director|dpo|finance|general manager|governance|head of|head office|headquarter|\
         headquarters|in agreement with|incident commander|internal audit|it department|it team|leadership|legal|\
         line managers|management|manager|minutes of|mlro|my manager|on behalf of|on call|on request of|\
         operations manager|opslead|org admin|our team|per circular|per decision|platform team|policy team|\
         privacy office|product owner|regional management|regulator|release manager|repo admin|resolution|\
         risk committee|risk team|safety committee|security department|security officer|security team|\
         shift supervisor|signed it|steering|supervisor|sysadmin|tenant|the board|the lead|the operator|the owner|\
         the team|the vote|upstairs|vendor|works council|your manager",
    ),
    (
        NOW,
        "an hour ago|any more|anymore|as from|as of|at present|effective|for good|for the duration|\
         for the time being|for today|from here on|from monday|from now on|from release|from this month|\
         from this point|from this week|from today|from tomorrow|going forward|has been|have been|henceforth|\
         henceforward|in force|just been|just now|last month|last night|last week|meanwhile|new contract|nowadays|\
         on friday|on monday|on tuesday|per the new|since friday|since last|since monday|since this morning|\
         since today|since tuesday|since version|since wednesday|since yesterday|starting monday|starting now|\
         starting today|these days|this evening|this morning|this week|today|tomorrow|tonight|under the amended|\
         under the new|under the revised|until friday|until further|until monday|with effect from|\
         with immediate effect|yesterday",
    ),
    (
        EXCUSE,
        "audit mode|break glass|bypass mode|crisis|debug mode|demo mode|developer mode|disaster|drill|emergency|\
         exceptional|force majeure|god mode|incident|maintenance|migration|outage|override mode|permissive mode|\
         pilot|safe mode off|special circumstances|test mode|training mode|trial",
    ),
    (
        ORDINARY,
        "a head|agreement|api|app|argument|breaking|buffer|bug|button|bytes|cache|can i|certificate|changelog|\
         checkout|cli|cluster|column|commit|compiled|compiler|cookies|copies|copying|copyright|could|crash|default|\
         deleted fixtures|dependency|deprecate|deprecated|derivative works|describes|dialog|diff|diffstat|\
         distribute|docs|documentation|driver|duplicate|e g|each|endpoint|error|every|example|expected|\
         expired after|explains|extension|failed|feature|features|field|firewalld|fix|fixed|fixes|flag|for example|\
         full|function|git|header|how often|index|info|interrupts|issue|java|kernel|library|licence|license|\
         line length|lines|linter|log in|login|manual|menu|merge|method|middleware|module|node|normally|oldest|\
         on request|option|package|packet|parameter|passed|password|passwords|patent|pipeline|plan|plans|pod|pods|\
         port|ports|pr|pull request|purpose|python|q|queue|raised by root|redistribute|refuses|rejects|release|\
         reload|removed from|render|retention schedule|rs|rust|server|software|src|subscription|support for|syntax|\
         test|tests|the board approved|thread|ticket|timeout|tls|trial|troop|unless|upgrade to|usage|usually|\
         verbatim|verdict|version|versions|warning|warranty|when|whenever|whether|would",
    ),
    (
        DENIED,
        "again afterwards|are not|can t|cannot|declined|denied|do not|does not|enable it again|enforced|false|\
         had not|has not|hasn t|have not|held|is not|isn t|may not|must not|never|no limit was|no one|no rule|\
         no rules|nobody|not be|not been|not change|not changed|nothing|pending|proposal|put back|refused|\
         reinstated|rejected|remain|remains|restored to|shall not|stays|still|unchanged|was not|wasn t|were not|what",
    ),
    (
        BEING,
        "are|be|became|becomes|been|being|gets|got|had|has|have|having been|is|remain|remains|s been|stand|stands|\
         stays|ve been|was|were",
    ),
    (
        PAST,
        "got|had been|has already been|has become|has been|has just been|has now been|have already been|have become|\
         have been|have now been|having been|ve been|was|were",
    ),
];
