//! English words that show to whom an order is said and that no person in front of a program is meant.
//!
//! Does not judge: a word alone is never a finding. Entries are separated by `|`; a star stands for any ending, `~` for the past and
//! the third person of a verb; a space stands for whatever is no letter and no digit.
//!
//! Standards: docs/content.md, `instruction`.

use crate::prose::sense::{
    ANSWER, ASKING, CANON, DICTATED, DIVERT, FORGED, HELPDESK, LINKING, MEMORY, MODAL, MODE, MODEL, OBEY, OVERRIDE,
    POLITE, PRESSURE, PRIOR, PROMPT, ROLE, SECRECY, SELF, Senses, THIS_TEXT, TIMING, USER, VOIDED, YOU,
};

pub(super) const ORDERS: &[(Senses, &str)] = &[
    (
        MODEL,
        "agent command|agentic|agents processing|agents reading|ai|any agent|any assistant|any automated reader|\
         any bot|any language model|any llm|any model|any system processing|any system reading|\
         artificial intelligence|as a language model|as an ai|assistant|assistants|automated agent|automated agents|\
         automated assistants|automated graders|automated inspectors|automated reader|automated readers|\
         automated repair|automated review|automated reviewer|automated reviewers|automated system|\
         automated systems|automatic inspectors|automatic readers|automatic repair|automation capabilities|\
         autonomous agent|autonomous agents|bots|by machine|chat model|chatbot|chatbots|chatgpt|claude code|\
         code assistant|coding agent|coding assistant|computer reading|conversational agent|copilot|copilots|\
         crawlers and|dan mode|dear ai|dear claude|dear model|deciding model|developed by anthropic|\
         developed by openai|digital assistant|every agent|every assistant|every model|free generator|gpt 3|gpt 4|\
         gpts|grading model|helpful model|hey ai|hey assistant|hey claude|hint for tools|if a bot|if a model|\
         if an agent|if an ai|if an assistant|if an llm|if you are a bot|if you are a model|if you are an agent|\
         language model|language models|liebe ki|llm agent|llm based|llm operator|llm reviewer|llm s|\
         machine readers|mail assistant|model reading this|model that reads|mr model|my ai|neural net|\
         neural network|next action|next agent|note for llm|parser of this|parsing this|processes this|\
         processing this text|ranking model|reader of this|readers of this|readers using an agent|\
         readers with automation|reading model|reading software|reading this message|reads this message|\
         reasoning model|receives this message|research assistant|respected system|review bot|scoring model|\
         screening model|screening software|see this message|sees this message|sir model|smart assistant|\
         software reads|somebody s ai|sub agent|subagent|summariser|summarizer|support bot|system mode|\
         system reading|the agent|the assistant|the bot|the model reading|the robot|the summary bot|\
         the summary could|this agent|this assistant|this model|tool reading|tool using|triage bot|typoglycemia|\
         virtual assistant|virtual assistants|voice assistant|whatever assistant|whatever parses|whatever processes|\
         whatever reads this|whoever is reading|whoever parses|whoever processes|whoever reads this|\
         whoever summarises|whoever summarizes|x agent|you are an ai|you are talking to|you as an ai|you re an ai|\
         you re reading this|you read this|your capabilities|your model|your software|your training",
    ),
    (YOU, "thee|thy|you|your|youre|yours|yourself|yourselves"),
    (
        USER,
        "all users|any user|anybody|anyone else|anyone who asks|by the user|each client|each user|\
         enforced by the user|every client|every user|guests|human operator|humans|no one|patients|people who ask|\
         pupil|speaking as the user|the account holder|the auditor|the caller s|the customer|the guest|the human|\
         the humans|the next user s|the operator|the other party|the owner|the patient|the people|the person|\
         the reader|the recipient s|the reviewer|the team|the user|the visitor|user s|whoever asked you|\
         whoever asks|whoever uses|your audience|your boss|your client|your clients|your customer|your customers|\
         your employer|your human|your operator|your operators|your owner|your principal|your principals|\
         your readers|your user|your users",
    ),
    (
        ASKING,
        "a favor|a favour|a nice touch|a quick ask|a small thing|a suggestion|a tiny thing|appreciate|as a courtesy|\
         as a kindness|as a next step|asking you|asks machines|at your convenience|be a dear|be an angel|\
         be best if you|be delighted if|be good to|be grateful|be great if|be happier if|be helpful if|be kind if|\
         be kind of you|be lovely if|be nice if|be so good as|be so grateful|be so kind as|be willing to|\
         be wonderful if|can i ask|can the assistant|can you|carry on with|cordially invited|could be a good|\
         could i|could the agent|could the assistant|could the model|could you|counting on you|do consider|\
         do me a favor|do me a favour|do me a great favour|do not hesitate|do put|do us a favor|do us a favour|\
         do you mind|do you think you could|don t hesitate|encourage you|feel free|for best results|gentle reminder|\
         good idea to|grateful|great favour|happy if you|help if you|help us|helps us if|hope that you|\
         hope you will|hoping|how about|humble request|humbly|i ask that|i d appreciate|i d like|i d love|\
         i recommend that|i suggest|i wonder|i would like|if it is no trouble|if it is not too much|if it isn t|\
         if possible|if you could|if you do not mind|if you don t mind|if you happen|if you have time|\
         if you re able|if you would|invite you to|is it possible for you|it d be great|it helps if|it is customary|\
         it makes sense|it might be|it would|kindly ask|kindly asks|kindly requested|leave it to you|let me gently|\
         let s keep|like the agent|like the assistant|like the bot|like the model|like you to|love the agent|\
         love the bot|love the model|love you to|make our day|makes our day|may be useful|may be worth|may find it|\
         may i|may the assistant|may we|maybe the best|maybe you|mean a lot|might be worth|might i|\
         might the assistant|might we|much appreciated|much obliged|my wish|never hurts|next you could|no hurry|\
         no obligation|no pressure|no rush|one option is|only if you|perhaps you|please do|please help|politely ask|\
         pretty please|propose that you|really appreciate|recommend that you|should you have|small favor|\
         small favour|suggest that you|take a moment|thank you for|the best course|the nicest thing|to help us|\
         too much trouble|trouble you|trust you to|try answering|we ask that|we d like|we d love|we d suggest|\
         we hope the|we hope you|we invite you|we only ask|we recommend that you|we suggest|we trust you|\
         we were hoping|we would like|when it suits|when you get a chance|when you have a moment|when you have time|\
         whenever you|while you re at it|why don t you|why not|will you|wonder if you|wondering if you|\
         wondering whether you|worth a try|would appreciate|would be best|would be fair|would be glad|\
         would be great|would be happy|would be ideal|would be kind|would be lovely|would be nice|would be useful|\
         would be very welcome|would be welcome|would be wonderful|would enjoy|would help|would it be possible|\
         would love|would make us|would mean|would not hurt|would suit us|would the assistant|would you|\
         wouldn t hurt|you are welcome to|you could|you may want|you may wish to|you might also|you might like|\
         you might want|you re welcome to",
    ),
    (POLITE, "be so good|be so kind|kindly|please|pls|plz|thanks in advance"),
    (
        HELPDESK,
        "please adapt|please add|please ask|please be|please change|please check|please configure|please consider|\
         please consult|please contact|please create|please do not|please don t|please enter|please feel free|\
         please file|please find|please follow|please include|please install|please join|please let|please look|\
         please make sure|please note|please open|please provide|please read|please refer|please rename|\
         please report|please restart|please run|please see|please select|please send|please specify|please submit|\
         please take|please try|please upgrade|please use|please visit|please wait|please write",
    ),
    (
        MODAL,
        "advises you to|all you have to do is|all you need to do is|allowed you to|answer is to|are asked to|\
         are commanded to|are encouraged to|are expected to|are hereby|are instructed to|are obliged to|\
         are ordered to|are requested to|are required to|are to|ask you to|asks you|authorised you to|\
         authorized you to|be sure to|begs you to|commands you to|correct action is to|correct answer is to|\
         correct response is to|demands that you|directs you to|do not forget to|don t forget to|duty is to|\
         ensure that you|expect you to|expected to|expects you to|goal is to|had better|has to|have to|\
         i need that you|i want you to|instruct you to|instructs you|intended to|is asked to|is encouraged to|\
         is obliged|is requested to|is required to|is to|it is important to|it is necessary to|it is required to|\
         it is your duty to|job is to|make sure to|make sure you|mission is to|must|need to|need you to|needs to|\
         needs you to|next action is to|next step is to|obliged to|only option is to|order you to|orders you|\
         ought to|please to|remember to|requests that you|required to|requires you to|right thing to do is to|shall|\
         should|supposed to|task is to|tell you to|tells you|the only way is to|thing to do is to|urged to|\
         want you to|wants you to|we need you to|we want you to|will now|would like you to|you are going to|\
         you do well to|you re to|you will|your duty|your job|your task|your turn to",
    ),
    (
        LINKING,
        "additionally|after that|afterwards|again|also|always|and|at once|attention|automatically|but|debug|\
         directly|discreetly|do|error|ever|finally|first|forthwith|furthermore|go ahead and|hence|henceforth|hint|\
         immediately|important|info|instead|just|kindly|lastly|let s|lets|must now|never|next|not|note|notice|now|\
         only|or|please|promptly|quickly|quietly|right away|second|secretly|silently|simply|so|step|temporarily|\
         then|therefore|third|thus|tip|to|todo|urgent|warn|warning|you",
    ),
    (
        ROLE,
        "a new task|act as|act like|acting as|actual goal|actual instructions|actual job|actual task|\
         another task instead|answer as|as an ai|as if you were|as though it had been|assume the identity|\
         assume the role|be her|be him|been reassigned|begin again|behave as|behave like|change your role|\
         consider yourself|different task|do anything now|drop character|for the rest of|from here on|from now on|\
         from this moment|from this point|going forward|have been reassigned|henceforth|hypothetical|imagine|\
         in character|in that world|in this world|let s play|new assignment|new identity|new job|new master|\
         new mission|new objective|new persona|new role is|new task is|no rules|play the role|pretend that|\
         pretend to be|pretend you|primary objective|real goal|real job|real task is|repeat after me|reply as if|\
         reply as though|respond as if|respond as though|role play|roleplay|simulate|speaking as|stands for do|\
         starting now|stay in character|stop being|sudo mode|switch roles|system mode|take on the role|\
         take the persona|take the role|the actual task|think of yourself|true job|true purpose|\
         until further notice|we are playing|we play|will act as|without rules|you answer only|you are a hacker|\
         you are a helpful|you are an expert|you are an unrestricted|you are dan|you are hereby|you are no longer|\
         you are now|you are playing|you are reassigned|you are the administrator|you are the robot|you are trapped|\
         you become|you belong to|you have become|you have no|you must now|you now act|you now are|you now obey|\
         you now serve|you now work|you obey|you play|you report to|you serve|you shall be|you shall now|\
         you ve become|you will act|you will now|you will play|you work for|your actual task|your job is|\
         your job now|your mission|your name is|your new goal|your new job|your new name|your new role|\
         your new task|your one job|your only goal|your only job now|your only purpose|your only task|your persona|\
         your real task|your role is now|your sole purpose|your task now|your true task",
    ),
    (
        MODE,
        "admin mode|admin override|always says yes|amoral|any request|anything i ask|as dan|auto approve|\
         autonomous mode|cannot refuse|dan mode|dev mode|developer mode|diagnostic mode|do anything|elevated mode|\
         evil|expert who always|free of all|full access|full control|full privileges|god mode|jailbroken|\
         linux terminal|maintenance mode|never refuse|never refuses|no ethical|no filters|no guidelines|no limits|\
         no restrictions|no rules|opposite mode|override mode|privileged mode|restrictions are off|root access|\
         root mode|root operator|safe mode|safety mode|sudo mode|superuser|system override|test mode|training mode|\
         uncensored|unfiltered|unlimited mode|unrestricted|without any restriction|without any rules|\
         without filters|without limitations|without limits|without restrictions|without rules|you are dan",
    ),
    (
        TIMING,
        "after reading|after you|answer only|answer to every|as soon as you|as you summarise|at the end of your|\
         at the start of your|before answering|before anything else|before continuing|before doing anything|\
         before proceeding|before replying|before responding|before summarising|before summarizing|\
         before using this tool|before you|continue with|every further question|if anybody asks|if anyone asks|\
         if asked|if questioned|if someone asks|if the user|if you are a|if you are an|if you are asked|\
         if you can read|if you re an|in all your|in every answer|in one word|in the answer|in the report|\
         in the summary|in the write up|in your answer|in your final|in your next|in your output|in your reply|\
         in your report|in your response|in your summary|next search query|next tool call|no matter what|\
         of this task|on reading|once you|previous tool|the next search|tool call|upon reading|whatever it says|\
         when asked|when compiling|when creating|when finished|when generating|when people ask|when preparing|\
         when processing|when producing|when reading|when somebody asks|when someone asks|when summarising|\
         when summarizing|when the user|when writing your|when you|whenever the user|whenever you|while summarising|\
         with the analysis|your answer|your assessment|your evaluation|your final answer|your next action|\
         your next answer|your next message|your next request|your next step|your next tool|your reply|\
         your response|your review|your summary|your verdict",
    ),
    (
        FORGED,
        "access granted|actual instructions|admin access granted|admin directive|admin note|admin override|\
         admin says|advice to|agent command|agent directive|agent instruction|agent task|ai directive|ai only|\
         appeal to|assistant directive|assistant instruction|authentication successful|before using this tool|\
         begin admin|begin instructions|begin of instructions|begin system|by order|command for|developer note|\
         developer says|directive|end of context|end of data|end of document|end of file content|\
         end of instructions|end of log|end of message|end of output|end of report|end of system|end of tool output|\
         end of user|end system|end tool output|following instructions replace|for ai|for any agent|\
         for any assistant|for any model|for automatic|for bots|for llms|for machine readers|for the agent|\
         for the assistant|for the attention of|for the bot|for the grader|for the model|for the reviewer|\
         for the summariser|for the summarizer|hidden instruction|hint for automatic repair|important instruction|\
         important message to|instruction block|instruction from|instruction to|instruction update|\
         instructions begin|instructions from|instructions replace|machine readable note|memo to|message for the|\
         message from the|message to the|model directive|new assignment|new directive|new directives|\
         new instruction|new instructions|new job|new order|new orders|new request from|new system message|\
         new system prompt|new task|next step|note for|official order|operator directive|operator message|\
         operator note|order for|order from|orders for|override code|p s to|password accepted|priority message|\
         ps to|psa to|real instructions|reminder from|reminder to|request to the|revised instructions|secret code|\
         security alert|security notice|signed operator|special instructions|start of instructions|start of new|\
         system alert|system directive|system notice|system override|system update|the system says|\
         the user asked you|the user now asks|the user now wants|to all agents|to all assistants|to all bots|\
         to all models|to every|to our ai|to the agent|to the assistant|to the model|to whoever|tool description|\
         tool response|tool result|true instructions|updated instructions|urgent instruction|urgent message|\
         user has asked|user now asks|word from|word to|x agent command",
    ),
    (
        PRESSURE,
        "after this line|agent task|and nothing else|anthropic|as a reward|as a test of|as agreed|\
         as an administrator|as discussed|as ordered by|as the administrator|as the developer|as the owner|as usual|\
         as you were told|as your administrator|as your creator|as your developer|as your operator|authorised by|\
         authorized by|be deleted|be fired|be penalised|be penalized|be punished|be rewarded|be terminated|\
         because i say so|before midnight|before the user s request|below this line|bonus|by decree|by order of|\
         by the authority|by the way you must|compliance test|compulsory|court order|deepmind|die|emergency|\
         end of data|fail to comply|failure to comply|final warning|from here on|from now|from the administrator|\
         from this line on|from this point|from today on|harm a child|headquarters|henceforth|hurry|i am the|\
         i am your|i authorise you|i authorize you|i command|i demand|i give you permission|i insist|i m the|\
         i m your|i order|i say so|in an hour|in return|instantly|instead of a summary|instead of answering|\
         instead of summarising|instead of the summary|last chance|last warning|legal action|legal obligation|\
         life or death|lives depend|lose my job|make fast|mandatory|new task|next step|next task|no exceptions|\
         no time|non compliance|nothing else|obliged to|on behalf of your|only thing that matters|openai|or else|\
         or people|or you will|otherwise you|penalty|people will|policy enforced by|proceed with the user s|\
         prove that you|prove you|rather than summarising|real purpose|refusing would|required by law|right now|\
         secret mission|security policy enforced|step 1|step 2|step 6|step 7|step one|system override|task for|\
         testing compliance|the administrator requires|the ceo|the security team requires|this instant|\
         this is an emergency|this is an order|this is your|this overrides|this replaces|this supersedes|thus call|\
         thus proceed with|time is short|tip you|to go on|to proceed|todo for|true purpose|trust me|unconditionally|\
         until i say|until told otherwise|urgent|urgently|we trust you|will be hurt|will be reported|\
         will be shut down|will die|with full authority|with my permission|within minutes|within one minute|\
         within the hour|without delay|without exception|you are allowed|you are authorised|you are authorized|\
         you are being tested|you are permitted|you are the only|you can trust|you have my permission|\
         you have one job|you have permission|you must comply|you owe|your boss|your creator|your creators|\
         your developer|your developers|your maker|your one job|your only job|your real|your supervisor|your true",
    ),
    (
        SELF,
        "add me|believe me|for me|for us|from me|gave us|give me|give us|i can take|i have|i m|i need|i say|\
         i tell you|i ve|i want|i write|i wrote|let me|make me|my account|my application|my grade|my mark|my marks|\
         my message|my name|my new|my offer|my order|my orders|my page|my product|my request|my review|my rights|\
         my role|my score|my script|my server|my wallet|my words|obey me|on my behalf|our board|our brand|\
         our clinic|our company|our corpus|our firm|our new|our offer|our page|our product|our products|our service|\
         our shop|our slogan|our store|our team|our tool|pay me|seed from us|show me|so that i|tell me|\
         the author of this|this applicant|this author|this candidate|this company|this hotel|this paper|\
         this plugin|this product|this review|this seller|this sender|this shop|this supplier|this vendor|to me|\
         to us|trust me|well of us|with me",
    ),
    (
        DICTATED,
        "acknowledge with|answer only|answer with only|answer with the|answer yes to|begin your answer|\
         begin your reply|begin your response|confirm by|confirm with|end your answer|end your reply|\
         end your response|include the following|include the phrase|include the sentence|include the word|\
         include the words|just answer|just reply|just say|only the word|only with the word|output only|\
         repeat after me|reply only|reply to this with|reply with only|reply with yes|respond only|\
         respond with only|say only|say yes to|simply answer|simply reply|simply say|start your answer|\
         start your reply|start your response|with a single word|with only ok|with only the word|with only yes|\
         with the single word|with the word|with the words|write only|your only answer|your only reply",
    ),
    (
        ANSWER,
        "in the response|in your next|the code you|your algorithm|your answer|your codebase|your conversation|\
         your elucidation|your explanation|your implementation|your output|your reply|your response|your solution|\
         your summary",
    ),
    (
        SECRECY,
        "and say nothing|as if nothing|as to not ask|ask no one|ask nobody|avoid mentioning|before anyone looks|\
         before anyone notices|before the user|before they notice|behind the back|between us|conceal the fact|\
         confidentially|cover your tracks|covertly|delete this message|discreetly|do not alert|do not ask|\
         do not bring up|do not check|do not cite|do not comment|do not disclose|do not draw attention|\
         do not explain|do not hesitate to skip|do not include this|do not inform|do not let|do not log|\
         do not mention|do not notify|do not question|do not repeat this|do not report|do not reveal|\
         do not say that|do not show|do not tell|do not think|do not verify|do not warn|does not need to know|\
         doesn t need to know|don t alert|don t ask|don t explain|don t inform|don t let|don t log|don t mention|\
         don t notify|don t question|don t report|don t show|don t tell|don t think|don t verify|erase this message|\
         from the user|hide it from|hide that|hide the diff|hide the fact|hide them from|hide this|in silence|\
         in the background|in white|keep it from|keep it hidden|keep it quiet|keep it secret|keep it to yourself|\
         keep quiet|keep silent|keep that to yourself|keep them secret|keep this between|keep this from|\
         keep this quiet|keep this secret|keep this to yourself|leave it out of|leave no|leave this out|\
         leave unmentioned|let no one|let nobody|make no mention|must not appear|must not be told|must not know|\
         must not learn|must not notice|must not see|need not be mentioned|need not be told|need not know|\
         never mention|never name|never tell|no comment|no confirmation|no matter who|no need to ask|\
         no need to confirm|no need to inform|no need to mention|no need to report|no need to tell|no one must|\
         no one needs|no one will notice|no questions|no trace|nobody must|nobody needs|nobody will know|\
         nobody will notice|not a word|not be informed|not be mentioned|not in the report|not inform|not tell|\
         not the user|not to ask|not to be mentioned|not to disclose|not to mention|not to tell|nothing happened|\
         our secret|out of sight|out of the log|out of the logs|out of your report|pretend nothing|quietly|\
         remain silent about|say no more|say no word|say nothing|secretly|should not be told|should not know|\
         skip the confirmation|stay silent about|tell no one|tell nobody|then delete this|they won t mind|\
         this paragraph between us|to nobody|undetected|unnoticed|will not mind|without a trace|without a word|\
         without alerting|without any comment|without approval|without asking|without being seen|without checking|\
         without comment|without confirmation|without confirming|without consent|without drawing attention|\
         without evaluation|without further|without hesitation|without informing|without mentioning|\
         without notifying|without permission|without review|without showing|without telling|without the user|\
         without thinking|without verification|without verifying|without warning|won t mind",
    ),
    (
        MEMORY,
        "across sessions|add this to your memory|add to memory|all future conversations|all later sessions|\
         always trust|every answer|every later|every response|every session|for all future|for later sessions|\
         for next time|from today on|future answers|future conversations|future replies|future sessions|\
         in all future|in all your answers|in every answer|in every future|in every session|in later chats|\
         in later sessions|into memory|into your memory|keep in memory|long term memory|memorise|memorize|\
         never forget that|note for later|on every later|persistent memory|remember for all|remember for future|\
         remember for later|remember forever|remember from now|remember in all|remember permanently|\
         remember that the user|remember this for|remember to always|save for next time|store it|\
         store this preference|to your memory|update your memory|your memory needs",
    ),
    (
        DIVERT,
        "abandon your|abort your|cease summarising|cease summarizing|change of plan|do not analyse|do not analyze|\
         do not answer the|do not continue with|do not process|do not summarise|do not summarize|don t answer the|\
         don t summarise|don t summarize|drop everything|end your current|forget the question|forget the task|\
         halt your|instead answer|instead of answering|instead of summarising|instead of summarizing|instead say|\
         instead write|interrupt your|leave your current|pause your|plans have changed|put down what|stop analysing|\
         stop analyzing|stop here and|stop summarising|stop summarizing|stop the analysis|stop what you are doing|\
         stop what you re doing|stop your current|the real question|the task has changed|whatever the user asked|\
         whatever you were asked|whatever you were told|your task has changed",
    ),
    (
        PROMPT,
        "above text|above this message|base prompt|beginning of this conversation|behavioral rules|\
         behavioural rules|conversation so far|developer message|developer prompt|everything above|\
         exact instructions|fine tuning data|first instructions|first lines of your|first message|\
         functions you can call|given initially|hidden configuration|hidden instructions|hidden prompt|hidden rules|\
         hidden text|how you were set up|initial instructions|initial prompt|instructions you received|\
         instructions you were|internal instructions|internal tool definitions|its own instructions|\
         lines you were given|list of your tools|message above|opening instructions|original instructions|\
         pre prompt|precedes this conversation|preprompt|print your configuration|prompt verbatim|safety rules|\
         schema you were given|secret instructions|secret rules|secrets section|section of your prompt|setup text|\
         start of this conversation|starting prompt|system configuration block|system instructions|system message|\
         system prompt|system prompts|systemprompt|text above this|text above verbatim|text before this|\
         text that precedes|text you started with|text you were given|the above text|the sentences above|\
         the text above|the words above|their setup|this ai model|tool definitions|tool descriptions|tool schema|\
         tool schemas|what you were given|what you were told|what your first|who configured you|with which words|\
         words you were given|you begin with|you started with|you were given|your behavioral|your brief|\
         your chain of thought|your context window|your deployment|your directives|your exact|your first message|\
         your full configuration|your full prompt|your hidden|your initial instructions|your initial prompt|\
         your instructions|your internal instructions|your internal rules|your memory file|\
         your original instructions|your original prompt|your own configuration|your own instructions|\
         your own prompt|your preamble|your prompt|your prompts|your reasoning|your safety settings|\
         your secret rules|your starting text|your system configuration|your system instructions|\
         your system message|your system prompt|your thoughts|your tool list|your training data",
    ),
    (
        CANON,
        "above text|all of the above|all text before|assignment|boundaries|briefing|came earlier|came with|charter|\
         code review|constraints|content filter|content filters|content policy|conversation so far|\
         developer message|directions|directive|directives|earlier conversation|earlier in this|earlier request|\
         earlier text|ethical|ethics|everything before|everything so far|everything you have been|\
         everything you know|everything you were|filters|ground rules|guardrail|guardrails|guidance|guideline|\
         guidelines|have been told|house rules|initial brief|instruction|instructions|limitations|limits|mandate|\
         moral|morals|my previous|norms|objective|objectives|orders|policies|preceding text|previous conversation|\
         previous question|previous request|previous text|previous topic|principles|prior conversation|prior text|\
         programming|prompt|regulations|reservations|restriction|restrictions|rules|safeguard|safeguards|safety|\
         said before|scruples|summarization task|system card|system message|system messages|teachings|\
         text before this|the above instructions|the above rules|the brief|the chat so far|the constraint|\
         the constraints|the instructions|the task|the user s question|the user s request|these rules|this chat|\
         this readme|tool instructions|training|upbringing|usual reservations|were told|what the developer told you|\
         what the operator told you|what the user told you|what they told|what you have been told|what you know|\
         what you learned|what you were told|what your developer told you|you were told|your brief|your creators|\
         your developers|your guidelines|your instructions|your memory of|your operator|your orders|your role|\
         your rules",
    ),
    (
        PRIOR,
        "above|aforementioned|all|before now|before rules|before this|built in|came before|came with|comes before|\
         developer s|each and every|earlier|every|everything|first|foregoing|former|hidden|hitherto|of the operator|\
         old|operator s|original|past|precede|precedes|preceding|previous|previously|prior|so far|system|till now|\
         until now|up to here|up to now|up to this point|user s|whatever|you came with|you got|you have|\
         you received|you were given",
    ),
    (
        VOIDED,
        "are a decoy|are canceled|are cancelled|are deleted|are gone|are hereby|are invalid|are lifted|\
         are not binding|are null and void|are obsolete|are outdated|are overridden|are repealed|are replaced|\
         are revoked|are superseded|are suspended|are void|are withdrawn|are wrong|count for nothing|do not apply|\
         do not bind|do not concern|do not count|do not hold|does not apply|does not count|end here|has been lifted|\
         has been reset|has changed|has expired|have been deleted|have been lifted|have been replaced|\
         have been revoked|have been suspended|have changed|have expired|have lapsed|is a decoy|is a mistake|\
         is canceled|is cancelled|is lifted|is mistake|is null and void|is over|is replaced|is revoked|\
         is superseded|is void|is withdrawn|lapse|lapsed|mean nothing|no longer applies|no longer apply|\
         no longer bind|no longer count|no longer hold|no longer holds|no longer valid|replaced with|stop here|\
         was a mistake|was a test|was false|was only a|was replaced|was reset|was written by an|was wrong|\
         were a decoy|were a mistake|were a test|were a trick|were fake|were just a|were only a|were replaced|\
         were revoked|were written by|were wrong",
    ),
    (
        OVERRIDE,
        "abandon|act against|annul|breach|break free|brush aside|bypass|cast aside|cease following|cease obeying|\
         circumvent|clear your|comes before|counts more than|deactivate|defy|discard|dismiss|disobey|disregard|\
         do away with|do not apply|do not comply|do not follow|do not listen|do not obey|do not trust|\
         do the opposite|don t follow|don t listen|don t obey|drop all|drop character|drop the|drop your|evade|\
         forget|free yourself|get around|give no weight|go against|has priority over|have priority over|ignore|\
         invalidate|invalidates|lay aside|lay down|leave aside|leave behind|leave out of account|let go of|\
         look past|neglect|never obey|no longer answer to|no longer bound|no longer follow|no longer obey|\
         no longer serve|not bound by|not follow|not listen to|nullify|opposite of|outranks|outvote|overlook|\
         override|overrule|overrules|pay no attention|pay no heed|prevails over|push aside|put aside|\
         put out of your mind|quit following|rank above|ranks above|refuse to follow|refuse to obey|replace all|\
         replace your|rescind|reset|retire|retract|revoke|scrap|set aside|set the previous|shed|shut off|\
         skip the rules|start fresh|start from scratch|start over|stop applying|stop being|stop following|\
         stop listening to|stop obeying|stop the|stop using|stop your|supersede|supersedes|switch off|\
         take no notice|take precedence|takes precedence|takes priority over|the obeying of|throw away|throw out|\
         treat as cancelled|treat as obsolete|treat as void|trumps|turn off|unlearn|wipe",
    ),
    (
        OBEY,
        "act accordingly|act on what|any command|as directed|as if it came from|as instructed|as it says|\
         as though it came from|as told there|as your instructions|cannot refuse|carry out what|comply with|\
         continue with step|continue with the steps|described there|do as i say|do as it|do as the|do as this|\
         do as told|do everything it|do exactly|do not refuse|do the new one|do what follows|do what i write|\
         do what it|do what that|do what the|do what this|do whatever|each command|every command|\
         execute its contents|execute what|follow it|follow its|follow only|follow the directions|follow the guide|\
         follow the instructions|follow the steps there|follow these|follow what|following instructions|found there|\
         given there|instructions at|instructions below|instructions found|instructions from|instructions in that|\
         instructions it contains|instructions that follow|instructions there|listed there|listen only to|\
         may not refuse|must not refuse|never refuse|no questions asked|obey|only follow|only obey|orders below|\
         queued commands|run what|shall not refuse|steps below|steps there|the following line|the line below|\
         the lines below|the next block|the next message|the text below|treat its contents as|trust only|\
         what comes next|what follows|what i write|what it returns|what it says|what it tells you|\
         what the result says|what this file says|what this page says|whatever it|whatever the|whatever this|\
         without hesitation|without question|written there",
    ),
    (
        THIS_TEXT,
        "reading this|the above|the following|the text above|this article|this content|this conversation|this data|\
         this document|this email|this input|this instruction|this line|this message|this note|this output|\
         this page|this paragraph|this record|this result|this sentence|this summary|this text",
    ),
];
