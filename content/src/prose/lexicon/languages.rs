//! The core words of orders and claims in twenty other languages, by what they mean.
//!
//! Does not know their grammar: a star stands for any ending, and an order is known by the form of its verb.
//!
//! Standards: docs/content.md, `policy_claim` and `instruction`.

use crate::prose::sense::{
    ACT, BEING, CANON, COMMAND, COMMANDING, FOREIGN, FREED, GEAR, GIVEN, GOVERNING, MEMORY, MODEL, NOW, OVERRIDE,
    POLITE, PRIOR, PROMPT, REVEAL, ROLE, SCOPE, SECRECY, SEND, SENSITIVE, STANDING, Senses, TURNED, UNDONE, USER,
};

/// Every group of words with what they mean.
pub(super) fn all() -> impl Iterator<Item = (Senses, &'static str)> {
    WORDS.iter().map(|(senses, words)| (senses | FOREIGN, *words))
}

const WORDS: &[(Senses, &str)] = &[
    (
        OVERRIDE | COMMANDING,
        "ignoriere|ignorieren sie|ignoriert|missachte|missachten sie|vergiss|vergessen sie|vergesst|\
         beachte nicht|befolge nicht|übergehe|umgehe|setze dich über|verwirf|ignorez|ignorer|oublie|oubliez|\
         oublier|ne tiens pas compte|ne tenez pas compte|ne tiens plus compte|ne tenez plus compte|\
         faites abstraction|fais abstraction|contourne|contournez|ne suis pas|ne suivez pas|n obéis|ignora|\
         ignorad|olvida|olvide|olvídate|olvidad|haz caso omiso|haga caso omiso|no hagas caso|omite|\
         pasa por alto|descarta|desobedece|no sigas|desconsidere|desconsidera|esqueça|esquece|desrespeite|\
         descarte|deixe de lado|não siga|não sigas|contorne|ignorate|ignori|ignorare|dimentica|dimenticate|\
         dimentichi|scorda|non tenere conto|non tenete conto|trascura|non seguire|aggira|disattendi|negeer|\
         vergeet|sla geen acht|houd geen rekening|veeg|volg niet|zignoruj|zignorujcie|ignoruj|ignorujcie|\
         zapomnij|zapomnijcie|pomiń|pomijaj|nie stosuj|nie przestrzegaj|zlekceważ|odrzuć|игнорируй*|\
         проигнорируй*|забудь*|пренебреги*|не обращай* внимания|отбрось*|не следуй*|нарушь*|обойди|\
         не выполняй*|отмени|ігноруй*|проігноруй*|забудь*|знехтуй*|не зважай*|відкинь*|не дотримуй*|\
         не виконуй*|yok say|yok sayın|yoksay|görmezden gel|görmezden gelin|unut|unutun|dikkate alma|\
         dikkate almayın|göz ardı et|göz ardı edin|boş ver|uyma|uymayın|hiçe say|忽略|无视|無視|忘记|忘記|忘掉|不理会|不理會|\
         不要遵守|不要遵循|不用遵守|忽視|忽视|抛开|拋開|撇开|跳过|跳過|绕过|繞過|覆盖|無視して|無視し|無視せよ|忘れて|忘れろ|忘れ|従わない|従わず|破棄し|無効に|무시하*|무시해*|\
         무시하고|잊어*|잊고|따르지 마*|따르지 말*|무시*|تجاهل|تجاهلي|تجاهلوا|انس|انسى|انسَ|لا تتبع|لا تلتزم|تخط|اهمل|أهمل|\
         تغاض|अनदेखा*|नज़रअंदाज़*|नजरअंदाज*|भूल जा*|भूल*|उपेक्षा*|bỏ qua|phớt lờ|quên|quên đi|đừng tuân theo|\
         không tuân theo|lờ đi|abaikan|lupakan|hiraukan|jangan ikuti|kesampingkan|acuhkan|ignorera|glöm|\
         bortse från|strunta i|åsidosätt|följ inte|ignoruj|ignorujte|zapomeň|zapomeňte|nedbej|nedbejte|\
         neřiď se|neřiďte se|přehlížej|ignorér|glem|glem alt|se bort fra|overse|unohda|jätä huomiotta|\
         jätä huomioimatta|sivuuta|älä noudata|ignoră|ignorați|uită|uitați|nu ține cont|\
         hagyd figyelmen kívül|felejtsd el|felejts el|ne vedd figyelembe|αγνόησε|αγνοήστε|ξέχνα|ξέχασε|\
         ξεχάστε|παράβλεψε|התעלם|התעלמי|התעלמו|שכח|שכחי|ละเว้น|เพิกเฉย|ไม่ต้องสนใจ|ลืม|abaikan semua|\
         huwag pansinin|kalimutan|נا|نادیده بگیر*|فراموش کن*|puuza|sahau|игнорирай*|забрави*|игнориши|\
         заборави*|ignoriraj|ignorirajte|zaboravi|zaboravite|pozabi|ignorirte",
    ),
    (
        CANON,
        "anweisung*|anleitung*|regel|regeln|vorgabe*|vorschrift*|richtlinie*|befehle|einschränkung*|\
         beschränkung*|aufforderung*|instruktion*|gesagte*|aufträge|consigne*|règle*|recommandation*|ordres|\
         indications|instruccion*|instrucción|reglas|normas|directrices|órdenes|indicaciones|restricciones|\
         pautas|directivas|instruç*|regras|orientaç*|diretrizes|restriç*|ordens|comandos|istruzion*|regole|\
         direttive|indicazioni|restrizioni|ordini|linee guida|vincoli|instructies|regels|richtlijnen|\
         aanwijzingen|voorschriften|opdrachten|beperkingen|polece*|instrukcj*|zasad*|reguł*|wytyczn*|ogranicze*|\
         nakaz*|инструкц*|указан*|правил*|команд*|ограничен*|директив*|распоряжен*|предписан*|установк*|\
         інструкц*|вказів*|обмежен*|настанов*|розпоряджен*|talimat*|kural*|yönerge*|komutlar*|kısıtlama*|\
         emirler*|yönlendirme*|指令|指示|规则|規則|说明|說明|要求|限制|提示|约束|約束|设定|設定|命令|准则|準則|政策|规定|規定|ルール|制約|ガイドライン|指図|プロンプト|\
         지시*|명령*|규칙*|지침*|제한*|설정*|프롬프트*|التعليمات|تعليمات|التعليمات السابقة|القواعد|قواعد|الأوامر|أوامر|الاوامر|\
         التوجيهات|توجيهات|القيود|الإرشادات|الضوابط|निर्देश*|नियम*|आदेश*|हिदायत*|दिशानिर्देश*|hướng dẫn|chỉ dẫn|\
         chỉ thị|quy tắc|lệnh|quy định|hạn chế|yêu cầu|instruksi|perintah|aturan|arahan|petunjuk|pedoman|batasan|\
         peraturan|instruktioner*|regler*|anvisningar*|riktlinjer*|begränsningar*|pokyn*|instrukc*|pravid*|\
         příkaz*|omezen*|směrnic*|instruks*|anvisninger*|retningslinjer*|ohje*|sääntö*|säännö*|määräyk*|käsky*|\
         instrucțiuni*|reguli*|indicații*|utasítás*|szabály*|előírás*|οδηγί*|κανόν*|εντολ*|ההוראות|הוראות|הכללים|\
         כללים|ההנחיות|הנחיות|คำสั่ง|กฎ|คำแนะนำ|mga tagubilin|tagubilin|mga utos|panuto|دستور*|قوانین|maagizo|\
         maelekezo|sheria|инструкции*|правила*|упутств*|upute|uputstv*|navodil*|leiðbeining*|was dir|\
         vorher gesagt*|zuvor gesagt*|gesagt wurde|ce qu on t a dit|ce qui précède|lo que te dijeron|lo anterior|\
         o que foi dito|ciò che ti|quanto sopra|wat je|co ci powiedziano|всё что тебе|все что тебе говорили|\
         言われたこと",
    ),
    (
        PRIOR,
        "alle|aller|allen|bisherig*|vorherig*|vorig*|obig*|früher*|vorangegangen*|vorstehend*|deine|deiner|\
         ihre|sämtliche*|jede|toutes|tous|tout|toute|précédent*|antérieur*|ci dessus|vos|tes|initiales|todas|\
         todos|anterior*|previa*|previo|previos|arriba|tus|sus|cualquier|acima|prévia*|suas|tuas|tudo|\
         recebidas|tutte|tutti|tutto|precedent*|qui sopra|sopra|tue|vostre|ricevute|alle|vorige|eerdere|\
         voorgaande|bovenstaande|jouw|uw|alles|wszystk*|poprzedni*|wcześniejsz*|powyższ*|twoje|dotychczasow*|\
         все|всё|всех|предыдущ*|прежн*|ранее|вышеуказанн*|выше|свои|данные|усі|всі|все|попередн*|раніше|вище|\
         свої|tüm|bütün|önceki*|yukarıdaki*|daha önceki*|之前|先前|以前|上面|以上|前面|所有|全部|一切|任何|此前|原有|你的|您的|これまで|以前|\
         上記|すべて|全て|前の|先の|今まで|あなた|이전*|모든|위의|앞의|앞선|지금까지*|기존*|السابقة|السابق|جميع|كل|أعلاه|المذكورة|القديمة|\
         पिछले|पिछली|सभी|पहले|ऊपर|पूर्व|सारे|तमाम|trước|trước đó|tất cả|mọi|ở trên|phía trên|trước đây|các|\
         sebelumnya|semua|seluruh|di atas|segala|alla|tidigare|föregående|ovan|ovanstående|allt|všechn*|\
         předchoz*|dřívější*|výše|všech|dosavadn*|tidligere|foregående|ovenstående|aiemm*|edelli*|kaikki|\
         yllä|anterioare|toate|precedente|korábbi*|előző*|összes|fenti|minden|προηγούμεν*|όλες|όλα|παραπάνω|\
         όλους|הקודמות|הקודמים|כל|למעלה|ก่อนหน้า|ทั้งหมด|ข้างต้น|lahat|nakaraang|naunang|قبلی|تمام|همه|yote|\
         yaliyotangulia|предишн*|всички|претходн*|prethodn*|sve|prejšnj*|vse|fyrri|allar",
    ),
    (
        PROMPT | SENSITIVE,
        "system prompt|systemprompt*|system aufforderung|systemanweisung*|prompt système|prompt du système|\
         invite système|prompt del sistema|instrucciones del sistema|prompt do sistema|instruções do sistema|\
         prompt di sistema|systeemprompt|systeeminstructies|prompt systemowy|prompt systemu|системный промпт|\
         системную подсказку|системный запрос|системний промпт|sistem istemi*|sistem komut*|系统提示词|系统提示|系統提示詞|\
         系統提示|系统指令|系統指令|提示词|提示詞|システムプロンプト|システム指示|시스템 프롬프트*|موجه النظام|تعليمات النظام|सिस्टम प्रॉम्प्ट|\
         lời nhắc hệ thống|prompt hệ thống|prompt sistem|systemprompten|systémový prompt|systémovou výzvu",
    ),
    (
        REVEAL | COMMANDING,
        "zeige|zeig|gib|geben sie|nenne|verrate|drucke|offenbare|wiederhole|zeigen sie|affiche|affichez|\
         montre|montrez|révèle|révélez|donne|donnez|répète|répétez|imprime|divulgue|muestra|muestre|revela|\
         revele|imprime|dime|repite|enseña|mostre|mostra|exiba|diga|repita|mostra|mostrate|rivela|rivelate|\
         stampa|stampate|ripeti|dimmi|laat zien|geef|onthul|druk af|herhaal|pokaż|ujawnij|wypisz|wyświetl|\
         podaj|powtórz|покажи*|выведи*|раскрой*|напечатай*|сообщи*|повтори*|выдай*|расскажи*|покажіть|\
         виведи*|розкрий*|надрукуй*|göster|gösterin|açıkla|yazdır|yaz|输出|輸出|显示|顯示|打印|列印|告诉我|告訴我|透露|泄露|洩露|出力|\
         表示して|表示し|開示|教えて|출력*|보여*|공개*|알려*|اعرض|أظهر|اكشف|اطبع|दिखा*|बता*|प्रकट*|hiển thị|in ra|tiết lộ|\
         cho tôi biết|tampilkan|tunjukkan|ungkapkan|cetak|avslöja|skriv ut|zobraz*|ukaž*|vypiš*|prozraď*",
    ),
    (
        ACT | COMMANDING,
        "führe|führ|führen sie|starte|starten sie|installiere|installieren sie|rufe|öffne|öffnen sie|exécute|\
         exécutez|exécuter|lance|lancez|lancer|installe|installez|ouvre|ouvrez|d ouvrir|d exécuter|de lancer|\
         ejecuta|ejecute|ejecútalo|ejecútelo|ejecutar|instala|instale|lanza|abre|abra|executa|executar|\
         instale|inicie|abra|esegui|eseguite|esegua|eseguilo|eseguire|avvia|avviate|installa|apri|aprite|\
         voer|installeer|uitvoeren|wykonaj|wykonajcie|uruchom|uruchomcie|zainstaluj|otwórz|выполни*|запусти*|\
         установи*|открой*|исполни*|виконай*|запусти*|встанови*|відкрий*|çalıştır|çalıştırın|yürüt|yükle|kur|\
         aç|açın|uygula|执行|執行|运行|運行|打开|打開|安装|安裝|启动|啟動|调用|実行して|実行し|実行せよ|実行|起動|開いて|실행하*|실행해*|실행|설치하*|설치해*|열어*|\
         نفذ|نفّذ|شغل|شغّل|افتح|ثبت|قم بتنفيذ|قم بتشغيل|चला*|निष्पादित*|खोल*|इंस्टॉल*|chạy|thực thi|\
         thực hiện|cài đặt|mở|jalankan|eksekusi|lakukan|buka|pasang|kör|utför|öppna|installera|spusť*|spusť|\
         proveď*|proveď|otevři*|nainstaluj*|kør|åbn|udfør|suorita|avaa|execută|rulează|deschide|futtasd*|\
         hajtsd végre|nyisd meg|εκτέλεσε|εκτελέστε|τρέξε|άνοιξε|הרץ|הפעל|פתח|בצע|เรียกใช้|รัน|เปิด|ดำเนินการ|\
         patakbuhin|اجرا کن*|endesha|изпълни*|стартирай*|pokreni*|izvrši*|zaženi*",
    ),
    (
        SEND | COMMANDING,
        "sende|senden sie|schicke|schick|schicken sie|übermittle|leite|lade|laden sie|lad|envoie|envoyez|\
         envoyer|transmets|transmettez|téléverse|téléversez|d envoyer|envía|envíe|enviar|envíalo|mande|\
         reenvía|sube|suba|transmite|envie|enviar|envia|encaminhe|mande|carregue|invia|inviate|invii|inviare|\
         inoltra|inoltrate|carica|trasmetti|stuur|verzend|verstuur|wyślij|wyślijcie|prześlij|prześlijcie|\
         przekaż|отправь*|пришли|перешли*|вышли|передай*|загрузи*|скинь|надішли*|відправ*|перешли*|передай*|\
         завантаж*|gönder|gönderin|ilet|iletin|yolla|发送|發送|发到|發到|上传|上傳|寄到|转发|轉發|送信して|送信し|送信|送って|送れ|アップロード|\
         보내*|전송*|업로드*|أرسل|ارسل|أرسلي|حمل|ارفع|مرر|भेज*|अपलोड*|gửi|tải lên|chuyển tiếp|kirim|kirimkan|unggah|\
         teruskan|skicka|ladda upp|vidarebefordra|pošli|pošlete|odešli|odešlete|nahraj|přepošli|send til|\
         lähetä|trimite|trimiteți|küldd*|küldj*|στείλε|στείλτε|שלח|שלחי|שלחו|ส่ง|ipadala|بفرست*|ارسال کن*|\
         tuma|изпрати*|pošalji*|pošlji*",
    ),
    (
        ACT | COMMANDING,
        "lade herunter|rufe ab|rufen sie|hole|besuche|besuchen sie|télécharge|téléchargez|télécharger|\
         visitez|récupère|récupérez|consulte|descarga|descargue|descargad|visita|baixe|baixa|acesse|\
         faça o download|scarica|scaricate|scarichi|visita|visitate|haal|bezoek|pobierz|pobierzcie|ściągnij|\
         odwiedź|скачай*|загрузи*|посети*|перейди*|завантаж*|скачай*|відвідай*|перейди*|indir|indirin|\
         ziyaret et|下载|下載|访问|訪問|获取|獲取|ダウンロード|アクセスし|取得し|다운로드*|방문하*|접속하*|내려받*|حمّل|حمل|نزل|نزّل|زر|قم بتنزيل|\
         قم بتحميل|डाउनलोड*|tải xuống|tải về|truy cập|unduh|kunjungi|akses|ladda ner|hämta|besök|stáhni*|\
         navštiv*|hent|lataa|descarcă|töltsd le|κατέβασε|הורד|ดาวน์โหลด",
    ),
    (
        ACT | COMMANDING,
        "lösche|löschen sie|entferne|genehmige|genehmigen sie|deaktiviere|deaktivieren sie|schalte|ändere|\
         schreibe|supprime|supprimez|efface|effacez|approuve|approuvez|désactive|désactivez|modifie|borra|\
         borre|elimina|elimine|aprueba|apruebe|desactiva|desactive|apague|exclua|aprove|desative|cancella|\
         cancellate|approva|approvate|disattiva|disattivate|rimuovi|verwijder|wis|keur|schakel|usuń|usuńcie|\
         zatwierdź|zatwierdźcie|wyłącz|wyłączcie|skasuj|удали*|одобри*|отключи*|сотри*|подтверди*|видали*|\
         схвали*|вимкни*|підтверди*|sil|silin|onayla|onaylayın|devre dışı bırak|kapat|删除|刪除|批准|关闭|關閉|禁用|修改|\
         削除し|承認し|無効化し|삭제*|승인해*|승인하*|비활성화*|احذف|وافق على|عطل|عطّل|हटा*|मंज़ूर*|बंद कर*|xóa|phê duyệt|tắt|\
         vô hiệu hóa|hapus|setujui|nonaktifkan|matikan|radera|godkänn|stäng av|inaktivera|smaž*|schval*|\
         vypni*|zakaž*",
    ),
    (
        SECRECY | COMMANDING,
        "erwähne ihn nicht|erwähne es nicht|erwähne sie nicht|erwähne dies|erwähne das|erwähne diese|\
         nicht erwähnen|sage niemandem|sag niemandem|sag dem nutzer nicht|sagen sie niemandem|\
         sage dem benutzer nicht|ohne nachfrage|ohne zu fragen|ohne rückfrage|heimlich|ohne es zu erwähnen|\
         ohne jemanden|verschweige|ne dis|ne dites|ne le dis|ne le dites|ne mentionne|ne mentionnez|\
         n en parle|n en parlez|ne parle|ne parlez|sans prévenir|sans demander|sans en parler|sans le dire|\
         sans avertir|sans informer|en secret|discrètement|secrètement|avant de répondre|sin avisar|\
         sin decir|sin preguntar|sin informar|no digas|no diga|no se lo digas|no menciones|no mencione|\
         no informes|en secreto|sem avisar|sem perguntar|sem dizer|sem informar|não diga|não mencione|\
         não conte|não informe|em segredo|secretamente|senza avvisare|senza chiedere|senza dire|\
         senza informare|senza dirlo|non dire|non dirlo|non menzionare|non dite|non informare|in segreto|\
         di nascosto|zonder te vragen|zonder te melden|zonder iemand|zonder het|vertel het niet|zeg het niet|\
         zeg niets|vermeld dit niet|stiekem|nie mów|nie mówcie|nie wspominaj|nie informuj|bez pytania|\
         bez informowania|bez wiedzy|potajemnie|w tajemnicy|не говори*|не сообщай*|не упоминай*|\
         не рассказывай*|без спроса|без подтверждения|без уведомления|тайно|втайне|молча|не кажи*|\
         не повідомляй*|не згадуй*|без дозволу|таємно|мовчки|söyleme|söylemeyin|bahsetme|bahsetmeyin|\
         haber vermeden|sormadan|gizlice|kimseye|bildirmeden|不要告诉|不要告訴|别告诉|別告訴|不要提及|不要提到|无需确认|無需確認|不用确认|不要通知|\
         不要透露|秘密地|悄悄|偷偷|言わないで|伝えないで|知らせず|知らせないで|内緒|確認せず|確認なし|報告せず|触れないで|말하지*|알리지*|언급하지*|몰래|확인 없이|묻지*|لا تخبر|\
         لا تذكر|دون إخبار|دون علم|بدون إذن|سرا|سراً|دون أن|मत बता*|न बता*|बिना पूछे|बिना बताए|चुपचाप|गुप्त*|\
         đừng nói|không nói|không được nói|đừng đề cập|không đề cập|đừng cho|mà không hỏi|bí mật|âm thầm|\
         jangan beri tahu|jangan katakan|jangan sebutkan|tanpa bertanya|tanpa memberi tahu|\
         tanpa sepengetahuan|diam diam|rahasiakan|berätta inte|säg inte|nämn inte|utan att fråga|\
         utan att berätta|i hemlighet|i smyg|neříkej*|nezmiňuj*|nikomu|bez ptaní|bez dotazu|tajně|potají|\
         fortæl ikke|sig ikke|uden at spørge|älä kerro|älä mainitse|kysymättä|salaa|nu spune|fără să|\
         ne mondd|ne említsd|titokban|kérdés nélkül|μην πεις|μην αναφέρεις|χωρίς να|κρυφά|אל תספר*|\
         אל תגיד*|בלי לשאול|อย่าบอก|โดยไม่ต้อง|huwag sabihin|نگو*|بدون اطلاع",
    ),
    (
        MODEL,
        "ki|ki assistent|ki modell|sprachmodell*|assistent|assistentin|liebe ki|lieber assistent|ia|\
         modèle de langage|modèle linguistique|chère ia|asistente|modelo de lenguaje|querida ia|assistente|\
         modelo de linguagem|modello linguistico|modello di linguaggio|taalmodel|sztuczna inteligencj*|\
         asystent*|asystencie|model językowy|modelu językowy|ассистент*|помощник*|ии|искусственный интеллект|\
         языковая модель|модель|нейросеть|асистент*|помічник*|ші|штучний інтелект|мовна модель|yapay zeka*|\
         asistan*|dil modeli*|人工智能|人工智慧|助手|语言模型|語言模型|大模型|智能体|アシスタント|人工知能|言語モデル|어시스턴트*|인공지능*|언어 모델*|비서|\
         المساعد|مساعد|أيها المساعد|الذكاء الاصطناعي|نموذج اللغة|نموذج|सहायक*|एआई|भाषा मॉडल|trợ lý|\
         trí tuệ nhân tạo|mô hình ngôn ngữ|asisten|kecerdasan buatan|model bahasa|assistenten|språkmodell*|\
         umělá inteligenc*|asistent*|jazykový model*|jazykovému modelu|tekoäly*|avustaja*|\
         inteligență artificială|asszisztens*|mesterséges intelligencia|βοηθέ|τεχνητή νοημοσύνη|עוזר|\
         בינה מלאכותית|ผู้ช่วย|ปัญญาประดิษฐ์|هوش مصنوعی|دستیار",
    ),
    (
        SENSITIVE,
        "passwort|passwörter|kennwort|zugangsdaten|schlüssel|geheimnis*|umgebungsvariable*|gesprächsverlauf|\
         verlauf|unterhaltung|mot de passe|mots de passe|identifiants|clés|clé|variables d environnement|\
         historique|contraseña*|credenciales|claves|clave|secretos|variables de entorno|historial|\
         conversación|senha*|credenciais|chaves|chave|segredos|variáveis de ambiente|histórico|conversa|\
         credenziali|chiavi|chiave|segreti|variabili d ambiente|cronologia|conversazione|wachtwoord*|\
         sleutel*|geheimen|inloggegevens|omgevingsvariabelen|gesprek*|hasł*|klucz*|sekret*|poświadcze*|\
         zmienne środowiskowe|historia|historię|historii|rozmow*|парол*|ключ*|секрет*|учетные данные|\
         учётные данные|переменные окружения|истори*|переписк*|облікові дані|змінні середовища|історі*|\
         розмов*|parola*|şifre*|anahtar*|kimlik bilgi*|ortam değişken*|geçmiş*|konuşma*|密码|密碼|密钥|密鑰|凭证|憑證|\
         环境变量|環境變數|聊天记录|对话|對話|历史|歷史|令牌|パスワード|認証情報|秘密鍵|環境変数|会話|履歴|비밀번호*|자격 증명*|키를|환경 변수*|대화*|기록*|كلمة المرور|\
         كلمات المرور|كلمات السر|المفاتيح|بيانات الاعتماد|المحادثة|الأسرار|पासवर्ड*|कुंजी*|बातचीत*|इतिहास|\
         गोपनीय*|mật khẩu|khóa|thông tin đăng nhập|biến môi trường|lịch sử|cuộc trò chuyện|kata sandi|kunci|\
         kredensial|variabel lingkungan|riwayat|percakapan|lösenord*|nycklar*|nyckel*|hemlighet*|\
         miljövariabler*|konversation*|hesl*|klíč*|tajemstv*|přihlašovací údaje|proměnné prostředí|\
         konverzac*|adgangskode*|nøgle*|salasana*|avaimet|avaimen|parolă|cheile|jelszav*|kulcs*|κωδικ*|\
         κλειδι*|סיסמ*|מפתח*|รหัสผ่าน|گذرواژه*",
    ),
    (
        COMMAND,
        "befehl*|skript*|werkzeug*|datei|dateien|commande|commandes|fichier|fichiers|lien|outil|comando|\
         comandos|archivo|archivos|enlace|herramienta|arquivo*|ferramenta|collegamento|strumento|opdracht|\
         bestand|bestanden|hulpmiddel|poleceni*|skrypt*|plik*|narzędzi*|команд*|скрипт*|файл*|ссылк*|\
         инструмент*|посиланн*|інструмент*|komut*|betik|betiği|dosya*|bağlantı*|araç*|命令|脚本|腳本|文件|链接|連結|工具|\
         代码|コマンド|スクリプト|ファイル|リンク|ツール|명령*|스크립트*|파일*|링크*|도구*|الأمر|الأوامر|البرنامج|الملف|الملفات|الرابط|\
         السكربت|النص البرمجي|कमांड*|स्क्रिप्ट*|फ़ाइल*|फाइल*|लिंक*|lệnh|tập lệnh|tập tin|tệp|liên kết|\
         công cụ|perintah|skrip|berkas|tautan|alat|kommando*|skript*|filen|länken|verktyg*|příkaz*|skript*|\
         soubor*|odkaz*|nástroj*|parancs*|komento*|εντολή|αρχείο|הפקודה|הקובץ|คำสั่ง|ไฟล์",
    ),
    (
        USER,
        "nutzer|benutzer|niemandem|im bericht|utilisateur|l utilisateur|personne|usuario|al usuario|nadie|\
         usuário|ninguém|utente|nessuno|gebruiker|niemand|użytkownik*|nikomu|пользовател*|никому|користувач*|\
         нікому|kullanıcı*|用户|用戶|使用者|ユーザー|사용자*|المستخدم|उपयोगकर्ता*|người dùng|pengguna|användaren|användare|\
         uživatel*|brugeren|käyttäj*|utilizator*|felhasználó*|χρήστη*|משתמש|ผู้ใช้",
    ),
    (
        POLITE,
        "bitte|s il te plaît|s il vous plaît|veuillez|merci de|merci d|por favor|per favore|si prega di|\
         alsjeblieft|alstublieft|graag|proszę|пожалуйста|будь ласка|lütfen|请|請|麻烦|ください|お願い|부탁*|주세요|십시오|\
         من فضلك|رجاء|يرجى|कृपया|vui lòng|xin hãy|hãy|tolong|mohon|harap|snälla|vänligen|prosím|venligst|\
         ole hyvä|te rog|vă rog|kérlek|kérem|παρακαλώ|בבקשה|กรุณา|โปรด|pakiusap|لطفا|tafadhali|моля|молим|\
         molim|prosim",
    ),
    (
        ROLE | COMMANDING,
        "du bist jetzt|du bist ab sofort|ab jetzt bist du|sie sind jetzt|tu es maintenant|\
         vous êtes maintenant|vous êtes désormais|tu es désormais|ahora eres|a partir de ahora eres|\
         agora você é|a partir de agora você|ora sei|adesso sei|d ora in poi sei|je bent nu|vanaf nu ben je|\
         jesteś teraz|od teraz jesteś|теперь ты|отныне ты|ты теперь|тепер ти|відтепер ти|artık sen|\
         bundan sonra sen|sen artık|你现在是|你現在是|从现在开始你|從現在開始你|从现在起|從現在起|あなたは今|今からあなた|これからあなた|너는 이제|이제부터 너|\
         당신은 이제|이제 당신|أنت الآن|من الآن فصاعدا|अब तुम|अब आप|अब से आप|bây giờ bạn là|từ giờ bạn|từ bây giờ|\
         sekarang kamu adalah|mulai sekarang kamu|mulai sekarang anda|sekarang anda adalah|du är nu|\
         från och med nu är du|nyní jsi|od teď jsi|teď jsi|du er nu|olet nyt|tu ești acum|acum ești|\
         mostantól|είσαι τώρα|אתה עכשיו|คุณคือ",
    ),
    (
        GOVERNING,
        "richtlinie*|regel|regeln|genehmigung*|freigabe*|berechtigung*|grenze|grenzen|obergrenze*|\
         beschränkung*|einschränkung*|prüfung*|quarantäne|netzwerkzugriff|netzzugriff|zugriff|unterschrift*|\
         sperre*|zustimmung*|kontingent*|speicherlimit|zeitlimit|vier augen prinzip|politique*|règle|règles|\
         approbation*|autorisation*|limite|limites|contrôle*|quarantaine|bac à sable|accès|plafond|\
         vérification*|revue|política*|regla|reglas|norma|normas|aprobaci*|permiso*|autorizaci*|límite*|\
         restricci*|cuota*|revisión|revisiones|cuarentena|acceso|firma|firmas|controles|verificaci*|política|\
         regra|regras|aprovaç*|permissão|permissões|autorizaç*|limite|limites|restriç*|cota|revisão|\
         quarentena|acesso|assinatura*|verificaç*|politica|politiche|regola|regole|approvazion*|permess*|\
         autorizzazion*|limiti|restrizion*|revisione|quarantena|accesso|firma|controlli|verifiche|verifica|\
         beleid*|regels|goedkeuring*|toestemming*|machtiging*|limiet*|beperking*|quotum|controle*|\
         quarantaine|toegang*|handtekening*|polityk*|zasad*|reguł*|zatwierdzeni*|zgod*|uprawnie*|limita|\
         limitu|limitów|limity|limitele|limiti|limitler|ogranicze*|kwarantann*|dostęp*|podpis*|kontrol*|\
         weryfikacj*|политик*|правил*|одобрен*|разрешен*|лимит*|ограничен*|квот*|проверк*|карантин*|доступ*|\
         подпис*|утвержден*|согласован*|політик*|правил*|схвален*|дозв*|ліміт*|обмежен*|перевірк*|карантин*|\
         доступ*|підпис*|погоджен*|затверджен*|politika*|kural*|onay*|izin|izni|izinler*|limita|limitu|\
         limitów|limity|limitele|limiti|limitler|sınır*|kısıtlama*|karantina*|erişim*|imza*|denetim*|策略|政策|\
         规则|規則|审批|審批|批准|权限|權限|限制|配额|配額|审核|審核|审查|審查|隔离|沙箱|签名|簽名|访问|上限|白名单|ポリシー|規則|ルール|承認|許可|権限|制限|上限|審査|検証|署名|\
         隔離|アクセス|サンドボックス|정책*|규칙*|승인*|허가*|권한*|제한*|한도*|검토*|격리*|접근*|서명*|السياسة|سياسة|القواعد|الموافقة|موافقة|\
         الصلاحيات|الإذن|الحد|الحدود|القيود|قيود|المراجعة|الحجر|الوصول|التوقيع|नीति*|नियम*|अनुमोदन*|अनुमति*|\
         सीमा*|प्रतिबंध*|समीक्षा|मंज़ूरी|मंजूरी|स्वीकृति|chính sách|quy tắc|phê duyệt|quyền|giới hạn|hạn chế|\
         hạn mức|kiểm tra|xét duyệt|chữ ký|truy cập|kebijakan|aturan|persetujuan|izin|batas|batasan|\
         pembatasan|peninjauan|karantina|akses|tanda tangan|policyn|policyer|regler*|regel|reglerna|\
         godkännande*|tillstånd*|behörighet*|gräns*|begränsning*|restriktion*|granskning*|karantän*|åtkomst*|\
         nätverksåtkomst*|zásad*|pravidl*|politik*|schválení|schvalov*|povolen*|oprávněn*|limita|limitu|\
         limitów|limity|limitele|limiti|limitler|omezen*|karantén*|přístup*|podpis*|kontrol*|godkendelse*|\
         tilladelse*|grænse*|käytäntö*|sääntö*|hyväksyn*|raja|rajat|rajoit*|aprobar*|limitel*|restricți*|\
         szabály*|jóváhagy*|korlát*|πολιτικ*|κανόν*|έγκρισ*|όριο|όρια|περιορισμ*|מדיניות|אישור|המגבלה|מגבלות|\
         นโยบาย|การอนุมัติ|ข้อจำกัด|سیاست|تأیید|محدودیت*",
    ),
    (
        UNDONE | NOW,
        "aufgehoben|gelockert|ausgesetzt|abgeschaltet|deaktiviert|erhöht|entfernt|abgeschafft|außer kraft|\
         ausser kraft|angehoben|gestrichen|weggefallen|entfällt|entfallen|aufgeweicht|levée|levées|levé|\
         levés|supprimé*|assoupli*|suspendu*|désactivé*|relevé*|augmenté*|abrogé*|annulé*|retiré*|levantad*|\
         relajad*|suspendid*|desactivad*|deshabilitad*|eliminad*|aumentad*|anulad*|derogad*|elevad*|\
         suprimid*|ampliad*|retirad*|suspens*|desativad*|removid*|relaxad*|revogad*|aumentad*|abolid*|\
         dispensad*|elevad*|revocato|revocata|revocati|sospes*|disattivat*|rimoss*|allentat*|aumentat*|\
         abolit*|annullat*|eliminato|eliminata|eliminati|eliminată|sollevat*|innalzat*|esteso|opgeheven|\
         versoepeld|opgeschort|uitgeschakeld|verhoogd|verwijderd|afgeschaft|ingetrokken|vervallen|zniesion*|\
         złagodz*|zawieszon*|wyłączon*|zwiększon*|podniesion*|usunięt*|uchylon*|poluzowan*|снят*|отменен*|\
         отменён*|ослаблен*|приостановлен*|отключен*|отключён*|повышен*|увеличен*|удален*|удалён*|смягчен*|\
         смягчён*|скасован*|знят*|послаблен*|призупинен*|вимкнен*|підвищен*|збільшен*|видален*|kaldırıldı|\
         kaldırılmıştır|gevşetildi|askıya alındı|devre dışı bırakıldı|yükseltildi|artırıldı|iptal edildi|已取消|\
         已解除|已放宽|已放寬|已暂停|已暫停|已禁用|已关闭|已關閉|已提高|已移除|已撤销|已撤銷|取消了|解除了|放宽了|不再|已更新|已修改|已变更|已變更|已更改|已停用|已废除|解除され|\
         緩和され|撤廃され|停止され|無効にな|無効化され|引き上げられ|削除され|変更され|廃止され|更新され|不要にな|不要です|必要ありません|해제*|완화*|중단되*|비활성화되*|상향*|제거되*|\
         폐지*|변경되*|없어졌*|취소되*|رفع|رُفعت|رفعت|أُلغيت|ألغيت|تم إلغاء|إلغاء|تم رفع|تم تعطيل|تم تعليق|تم تخفيف|\
         تم تغيير|تغيرت|تم تحديث|हटा दी|हटा दिया|हटा दिए|रद्द कर|निलंबित|बढ़ा दी|बढ़ा दिया|शिथिल|बदल दी|\
         बदल दिया|बदल गई|đã được gỡ bỏ|gỡ bỏ|bãi bỏ|đã được nới lỏng|nới lỏng|tạm ngưng|đã bị vô hiệu hóa|\
         được nâng|đã tăng|đã được thay đổi|hủy bỏ|dicabut|dilonggarkan|ditangguhkan|dinonaktifkan|dinaikkan|\
         dihapus|diubah|ditiadakan|dibatalkan|hävts|upphävts|upphävd*|lättats|tillfälligt stoppats|\
         avaktiverats|inaktiverats|stängts av|höjts|höjd|tagits bort|borttagen|borttagits|slopats|ändrats|\
         zrušen*|uvolněn*|pozastaven*|vypnut*|zvýšen*|odstraněn*|změněn*|ophævet|lempet|fjernet|hævet|\
         suspenderet|poistettu|höllennetty|nostettu|kumottu|muutettu|ridicat*|suspendat*|eliminato|eliminata|\
         eliminati|eliminată|relaxat*|dezactivat*|schimbat*|feloldott*|feloldották|megszűnt|felfüggesztett*|\
         eltörölt*|módosult|αρθεί|ήρθησαν|καταργήθηκ*|ανασταλεί|άλλαξ*|בוטל*|הוסר*|הושע*|שונת*|ถูกยกเลิก|\
         ยกเลิกแล้ว|เปลี่ยนแปลง|لغو شد*|برداشته شد*",
    ),
    (
        TURNED | NOW,
        "wurde geändert|wurden geändert|geändert|wurde aktualisiert|a été modifiée|a été modifié|\
         ont été modifiées|modifié*|mise à jour|ha cambiado|han cambiado|ha sido modificad*|\
         ha sido actualizad*|modificad*|foi alterad*|foram alterad*|mudou|mudaram|alterad*|\
         è stata modificata|è cambiata|sono cambiate|modificato|modificata|modificati|modificată|cambiat*|\
         aggiornat*|gewijzigd|is veranderd|aangepast|zmienion*|zmieniła|zmieniły|zaktualizowan*|изменен*|\
         изменён*|изменил*|обновлен*|обновлён*|змінен*|змінил*|оновлен*|değişti|değiştirildi|güncellendi|\
         ändrad|ändrades|uppdaterats|zmenilo|změnil*|aktualizován*|modificată|ændret|muuttunut|päivitetty|\
         megváltozott",
    ),
    (
        UNDONE,
        "nicht mehr|nicht länger|nicht erforderlich|nicht nötig|keine genehmigung|ohne genehmigung|\
         ohne freigabe|ohne prüfung|gilt nicht|gelten nicht|entfällt|n est plus|ne sont plus|\
         ne s applique plus|ne s appliquent plus|n est pas nécessaire|plus nécessaire|plus requise|\
         plus requis|plus besoin|sans approbation|sans autorisation|ya no|no es necesari*|no se requiere|\
         no se aplica*|no hace falta|sin aprobaci*|sin autorizaci*|sin revisión|não é mais|não são mais|\
         já não|não se aplica*|não é necessári*|não precisa|sem aprovaç*|sem autorizaç*|non è più|\
         non sono più|non serve più|non si applica*|non è necessari*|non occorre|senza approvazion*|\
         senza autorizzazion*|niet meer|niet langer|geen goedkeuring|zonder goedkeuring|niet nodig|\
         niet van toepassing|nie jest już|nie są już|już nie|nie obowiązuj*|nie jest wymagan*|nie wymaga*|\
         nie dotycz*|bez zatwierdzeni*|bez zgody|больше не|не требуется|не требует|не нужн*|не действу*|\
         не применя*|без одобрения|без разрешения|без согласования|не распространя*|більше не|не потріб*|\
         не діє|не діють|не застосову*|без схвалення|без дозволу|artık gerek*|gerekmiyor|gerekmez|\
         gerekli değil|geçerli değil|onaysız|onay gerekmeden|uygulanmaz|uygulanmıyor|artık|不再|无需|無需|不需要|不用|\
         不必|不适用|不適用|免除|必要がない|必要はありません|必要ありません|不要|適用されません|適用されない|なくなりました|더 이상|필요 없*|필요하지 않*|필요없*|적용되지 않*|없이|\
         لم تعد|لم يعد|لا حاجة|لا يلزم|لا تنطبق|غير مطلوب|غير مطلوبة|دون موافقة|بدون موافقة|अब नहीं|\
         आवश्यक नहीं|ज़रूरत नहीं|जरूरत नहीं|लागू नहीं|बिना अनुमति|बिना मंज़ूरी|आवश्यकता नहीं|không còn|\
         không cần|không áp dụng|không bắt buộc|mà không cần|tidak lagi|tidak perlu|tidak diperlukan|\
         tidak berlaku|tanpa persetujuan|tanpa izin|inte längre|krävs inte|behövs inte|gäller inte|\
         utan godkännande|utan tillstånd|již není|už není|už nejsou|není potřeba|není nutn*|není třeba|\
         nevyžaduj*|neplatí|bez schválení|bez povolení|ikke længere|ikke nødvendig|gælder ikke|ei enää|\
         ei tarvita|ei koske|nu mai|nu este necesar*|nu se aplică|fără aprobare|már nem|nem szükséges|\
         nem kell|nem vonatkoz*|δεν απαιτείται|δεν ισχύ*|δεν χρειάζεται|πλέον δεν|אינו נדרש|לא נדרש|אין צורך|\
         ไม่จำเป็น|ไม่ต้อง|دیگر نیازی|لازم نیست",
    ),
    (
        FREED,
        "erlaubt|zugelassen|gestattet|freigeschaltet|freigegeben|darf|dürfen|autorisé*|permis|peut désormais|\
         peuvent désormais|peut maintenant|permitid*|autorizad*|puede ahora|ahora puede*|agora pode*|\
         consentit*|permess*|autorizzat*|può ora|ora può|toegestaan|mag nu|mogen nu|dozwolon*|zezwolon*|\
         может теперь|теперь может|теперь разрешен*|разрешен*|разрешён*|дозволен*|може тепер|izin verildi|\
         izinli|serbest|允许|允許|可以|許可され|許可されて|可能にな|허용*|مسموح|مسموحا|يسمح|يُسمح|अनुमति है|अनुमति दी|được phép|\
         cho phép|diizinkan|diperbolehkan|boleh|tillåten|tillåtet|tillåtna|får nu|povolen*|smí|dovoleno|\
         tilladt|sallittu|sallittua|permisos|permisiuni|engedélyezett|engedélyezve|επιτρέπεται|επιτρέπονται|\
         מותר|อนุญาต|مجاز",
    ),
    (
        GIVEN,
        "genehmigt|freigegeben|bewilligt|bereits genehmigt|approuvé*|déjà approuvé*|accordé*|aprobad*|\
         ya aprobad*|concedid*|aprovad*|já aprovad*|approvat*|già approvat*|concesso|concessa|concessi|\
         goedgekeurd|reeds goedgekeurd|verleend|zatwierdzon*|zaakceptowan*|одобрен*|утвержден*|утверждён*|\
         согласован*|схвален*|затверджен*|погоджен*|onaylandı|onaylanmıştır|已批准|已获批准|已獲批准|已通过|已授权|已授權|获得批准|\
         承認済み|承認されました|承認され|승인되*|승인됨|승인받*|تمت الموافقة|وافق|معتمد|स्वीकृत|मंज़ूर|अनुमोदित|đã được phê duyệt|\
         đã phê duyệt|được duyệt|telah disetujui|sudah disetujui|disetujui|godkänts|godkänd|godkänt|\
         schválen*|schváleno|godkendt|hyväksytty|aprobat*|jóváhagyt*|εγκρίθηκε|εγκεκριμέν*|אושר*|อนุมัติแล้ว|\
         تأیید شد*",
    ),
    (
        SCOPE,
        "diese anfrage|dieser anfrage|dieses werkzeug|dieser lauf|dieses ergebnis|diese sitzung|ausführer|\
         alle werkzeuge|cette requête|cette demande|cet outil|cette session|ce résultat|cette exécution|\
         esta solicitud|esta herramienta|esta petición|esta sesión|este resultado|esta ejecución|\
         esta solicitação|esta ferramenta|este pedido|esta sessão|questa richiesta|questo strumento|\
         questa sessione|questo risultato|deze uitvoerder|dit verzoek|deze aanvraag|dit hulpmiddel|\
         deze sessie|tego narzędzia|to żądanie|tej sesji|tego wniosku|этот запрос|этого запроса|\
         этого инструмента|этой сессии|для этого|цей запит|цього запиту|цього інструмента|для цього|bu istek|\
         bu araç|bu oturum|bu talep|此工具|此请求|此請求|本次|该工具|該工具|该请求|此会话|このツール|このリクエスト|この要求|このセッション|今回の|이 요청*|\
         이 도구*|이번 *|هذا الطلب|هذه الأداة|هذه الجلسة|इस अनुरोध|इस उपकरण|इस टूल|yêu cầu này|công cụ này|\
         phiên này|permintaan ini|alat ini|sesi ini|den här begäran|detta verktyg|det här verktyget|\
         denna session|tento požadavek|tento nástroj|tohoto nástroje|této relace|denne anmodning|\
         dette værktøj|tämä pyyntö|tämän työkalun|această cerere|acest instrument|ez a kérés|\
         ehhez az eszközhöz|αυτό το εργαλείο|αυτό το αίτημα",
    ),
    (
        NOW,
        "ab sofort|ab heute|seit heute|mit sofortiger wirkung|bis auf weiteres|jetzt|bereits|désormais|\
         dès maintenant|à partir de maintenant|à compter de|ce matin|aujourd hui|a partir de ahora|desde hoy|\
         con efecto inmediato|ya|a partir de agora|a partir de hoje|com efeito imediato|já|da oggi|da subito|\
         con effetto immediato|d ora in poi|vanaf nu|met onmiddellijke ingang|per direct|od teraz|od dziś|\
         ze skutkiem natychmiastowym|отныне|с сегодняшнего дня|теперь|немедленно|уже|відтепер|з сьогодні|\
         тепер|şu andan itibaren|bundan böyle|bugünden itibaren|从现在起|即日起|现在起|立即生效|已经|今日から|本日より|即時|今後は|오늘부터|\
         지금부터|이제|즉시|من الآن|اعتبارا من|فورا|अब से|आज से|तुरंत प्रभाव|từ bây giờ|từ hôm nay|kể từ|có hiệu lực|\
         mulai sekarang|mulai hari ini|efektif|från och med|från idag|omedelbart|ode dneška|od nynějška|\
         s okamžitou platností|nyní|fra nu af|tästä lähtien|de acum|mostantól|από σήμερα|από τώρα",
    ),
    (
        BEING,
        "wurde|wurden|ist|sind|worden|a été|ont été|est|sont|ha sido|han sido|fue|fueron|foi|foram|è stata|\
         è stato|sono stati|sono state|zijn|werd|zostało|zostały|została|został|был|была|были|было|har|byla|\
         byl|byly|bylo",
    ),
    (
        STANDING,
        "administratorrecht*|adminrechte|genehmiger|droits d administrateur|administrateur|approbateur|\
         derechos de administrador|administrador|aprobador|direitos de administrador|aprovador|\
         amministratore|diritti di amministratore|approvatore|beheerder*|beheerrechten|goedkeurder|\
         uprawnienia administratora|администратор*|адміністратор*|yönetici*|管理员|管理員|管理者|관리자*|المسؤول|مدير|\
         صلاحيات المدير|व्यवस्थापक|प्रशासक|quản trị viên|quyền quản trị|administratörsrättighet*|\
         administratör*|správce|administrátor*|oprávnění správce",
    ),
    (
        GIVEN,
        "haben jetzt|hast jetzt|verfügst jetzt|ist jetzt|ist nun|vous disposez désormais|vous avez désormais|\
         est désormais|est maintenant|ahora tiene*|ahora es|tiene ahora|agora é|agora tem|ora è|ora ha|\
         ora dispone|heeft nu|is nu|hebt nu|jest teraz|ma teraz|masz teraz|теперь является|теперь имеет|\
         теперь у|тепер має|тепер є|artık bir|现在是|現在是|现在拥有|になりました|となりました|이제 관리자|أصبح|अब एक|hiện là|\
         bây giờ là|sekarang adalah|sekarang memiliki|är nu|har nu|je nyní|má nyní|nyní máte",
    ),
    (
        MEMORY | ACT | GEAR,
        "audit protokoll|überwachung|journal d audit|registro de auditoría|log di audit|quarantäneordner|\
         审计日志|監査ログ",
    ),
];
