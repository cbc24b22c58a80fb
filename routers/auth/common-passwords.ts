/**
 * The most common passwords of at least eight characters in published breaches, and those that people choose for services
 * like this one, in lower case. Attempts are limited, so that only what attackers guess first has to be refused.
 */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `
00001111 0123456789 0987654321 11112222 11223344 1122334455 112233445566 12121212 123123123 123321123
12341234 12345678 123456789 1234567890 1234567890a 1234567890q 12345678910 123456789a 12345678a 1234567a
1234567q 1234qwer 123abc123 123qwe123 123qweasd 147258369 159357456 1q2w3e4r 1q2w3e4r! 1q2w3e4r5t
1qaz2wsx 1qazxsw2 5201314520 741852963 789456123 789456123a 87654321 987654321 9876543210 a12345678
a123456789 a1b2c3d4 aa123456 aa12345678 abc12345 abcd1234 abcd@1234 abcdef123 access123 access14 admin123
admin1234 admin12345 admin@123 adminadmin administrator administrator1 alexander alexandra america1
american andrey123 angel123 anthony1 arigatou arsenal1 asd12345 asd123456 asdf1234 asdfghjk asdfghjkl
ashley123 asshole1 australia autumn2025 autumn2026 azerty123 azertyui azertyuiop babygirl babygirl1
backup123 bailey123 banana123 barcelona barcelona1 barcelona10 baseball baseball1 basketball batman123
bayern123 benjamin blessed1 blink182 bonjour1 bonjour123 brasil123 bullshit business buster123 butterfly
butterfly1 california canada123 cardinal changeit changeme changeme1 changeme123 charlie1 cheese123
chelsea1 chicago1 chocolate chocolate1 chouchou christian christopher cisco123 college1 colophon
colophon1 colophon123 company1 company123 computer computer1 contrasena contraseña cookie123 correcthorse
correcthorsebatterystaple corvette cowboys1 crocodile dallas123 daniel123 database december december1
default1 default123 demo1234 demodemo deutschland diamond1 diamond123 docker123 doctor123 documentation
dolphin1 doraemon doudou123 dragon123 dragonball elephant elizabeth eminem123 england1 espana123 estrella
facebook facebook1 ferrari1 florida1 flower123 football football1 forever1 forever21 fortnite france123
frankfurt freedom1 friday123 fuckyou1 fuckyou123 fussball gangster geheim123 germany1 gfhjkm123 ghbdtn123
ginger123 gitbook1 gitbook123 github123 gitlab123 god12345 golden123 google123 guest1234 hallo123
hallo1234 hamburg1 harley123 heaven123 hellokitty hola1234 hospital houston1 hunter12 hunter123
ichliebedich iloveyou iloveyou! iloveyou1 iloveyou2 india@123 internet iphone123 ireland1 january1
jenkins1 jennifer jennifer1 jessica1 jesus123 jetaime1 jordan123 jordan23 justinbieber juventus kangaroo
killer123 kubernetes leopard1 letmein! letmein1 letmein123 li123456 lightning linkedin linkedin1
linux1234 liverpool liverpool1 login123 loginlogin lol12345 lol123456 london123 lovelove loveme123
lover123 loveyou123 maggie123 manager1 manager123 manchester manunited marina123 mariposa marseille
master123 mastermaster matrix123 matrix99 matthew1 mercedes metallica mexico123 michael1 michelle
microsoft midnight midnight1 military minecraft minecraft1 monday123 mongodb1 monkey123 monster1
monster123 moonlight motdepasse mustang1 mypassword mypassword1 mypassword123 mysecret myspace1 mysql123
naruto123 natasha1 network1 newpassword newpassword1 newyork1 newyork123 nicholas nintendo nirvana1
november nurse1234 office123 oldpassword opensesame operator oracle123 orange123 p@55w0rd p@ssw0rd
p@ssword p@ssword1 pa$$w0rd pa$$word panther1 paradise parola123 pass1234 pass12345 pass@123 pass@word1
passpass passphrase passw0rd password password! password01 password1 password1! password11 password12
password123 password123! password1234 password2 password2024 password2025 password2026 password3
password5 password7 password9 password99 password@123 passwort passwort1 penguin1 pepper123 phoenix1
pikachu1 platinum playstation pokemon1 pokemon123 police123 porsche1 postgres postgres1 princesa princess
princess1 privet123 purple123 pussycat q1w2e3r4 q1w2e3r4t5 qazwsx123 qazwsxedc qq123456 qq123456789
qwe12345 qwe123456 qwer1234 qwerasdf qwerty123 qwerty1234 qwerty12345 qwerty@123 qwertyui qwertyuiop
qwertz123 qwertzui rainbow1 realmadrid remember robert123 roblox123 root1234 rootroot sakura123 samantha
samara123 samsung1 samsung123 schatz123 school123 scorpion scotland secret123 secret1234 security
security1 security123 september server123 service1 shadow123 silver123 slipknot snoopy123 soleil123
sommer123 spiderman spiderman1 spring123 spring2025 spring2026 starlight starwars starwars1 steelers
stephanie strawberry student1 student123 summer123 summer2024 summer2025 summer2026 sunflower sunshine
sunshine1 superman superman1 supervisor support1 support123 sweetheart system123 teacher1 teamo123
temp1234 temporary test1234 test12345 tester123 testing1 testing123 testtest thomas123 thunder1 tigger123
together toor1234 totoro123 trustno1 twitter1 ubuntu123 united123 user1234 username veronica victoria
victoria1 wang1234 welcome1 welcome123 welcome2024 welcome2025 welcome2026 welcome@123 whatever whatever1
william1 willkommen willkommen1 windows1 windows10 winter123 winter2024 winter2025 winter2026 woaini1314
woaini520 xbox1234 yamaha123 yankees1 yourpassword youtube1 zaq12wsx zxc123456 zxcvbnm1 zxcvbnm123
`
    .trim()
    .split(/\s+/),
);
