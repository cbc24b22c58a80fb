/**
 * Words that say nothing about the topic of a message: function words, and words that are common in all requests for help.
 * Without accents, as `keywords.ts` compares them.
 */
const LISTS = {
  english:
    'a about after again all also am an and any are as at be because been before being both but by can cannot could did do does doing don down during each even ever every few for from get gets getting go going gone got had has have having he her here hers him his how i if im in into is isn it its ive just know let like ll make makes many may me might more most much must my need needs never no nor not now of off on once one only or other our ours out over own please re really s same see she should shouldn so some still such sure t than that the their theirs them then there these they thing things this those though through to too try tried trying under until up us use used using ve very want wants was wasn way we well were what when where which while who whom why will with won would wouldn yes yet you your yours',
  help: 'anyone anybody asap best bonjour cheers ciao danke dear everyone fyi gracias greetings grazie hallo hello help helping hey hi hola issue issues kind merci morning obrigado ola pls problem problems question questions regards sorry support team thank thanks thx today tomorrow ur u wondering yesterday',
  time: 'ago already day days evening friday half hour hours last later long longer minute minutes monday month months morning night recently saturday since sunday thursday time times tonight tuesday wednesday week weeks year years immer jahr jahre monat monate seit stunde stunden tag tage tagen woche wochen',
  happening:
    'able although anything app application apps back come comes came different everything find fix found full funktioniert geht gehen give given goes happen happens keep keeps look looks lot new nothing number numbers old possible put right said saw say says second seen several show showing shown shows something start started steht stop stopped stops take takes taking tell tells third took turn turned turns three twice two wait waited waiting way without work working works wrong',
  contractions:
    'aint aren arent cant couldn couldnt didn didnt doesn doesnt dont hadn hasn hasnt haven havent isnt mustn shouldnt thats theres wasnt weren werent whats wont wouldnt youre',
  french:
    'ai aie alors as au aucun aussi autre aux avec avez avoir avons car ce cela ces cet cette ceux chez comme comment dans de des du elle elles en encore est et etait ete etre eu faire fait faut il ils je la le les leur lui ma mais me meme mes moi mon ne nos notre nous on ont ou par pas peu peut peux plus pour pourquoi pouvez puis qu quand que quel quelle qui quoi sa sans se ses si son sont suis sur ta te tes toi ton toujours tous tout toute tres tu un une vos votre vous y',
  german:
    'aber alle als also einfach gar kommen kommt mehr nochmal obwohl schlecht trotzdem weg wurde wurden am an auch auf aus bei beim bin bis bist bitte da damit dann das dass dein dem den der des dich die dies diese dieser doch dort du durch ein eine einem einen einer eines er es etwas euch euer fur gegen gibt hab habe haben hat hatte hier ich ihm ihn ihr ihre im immer in ist ja jede jetzt kann kannst kein keine konnen man mein meine mich mir mit nach nicht nichts noch nun nur ob oder ohne schon sehr sein seine seit sich sie sind so uber um und uns unser vom von vor wann war warum was weil wenn wer werden wie wieder will wir wird wo zu zum zur',
  spanish:
    'al algo alguien aqui asi aun aunque como con cual cuando de del desde donde el ella ellos en era es esa ese eso esta estan estas este esto estos estoy favor fue ha hace hacer han hasta hay he la las le les lo los mas me mi mis muy nada ni no nos o otra otro para pero poder por porque puede puedo que quien quiero se ser si sin sobre solo son soy su sus tambien te tener tengo ti tiene todo todos tu tus un una unas uno unos y ya yo',
  portuguese:
    'ao aos as ate bem com como da das de dela dele depois do dos e ela ele eles em entre era essa esse esta estou eu fazer foi ha isso isto ja mais mas me mesmo meu minha muito na nao nas nem no nos num o os ou para pela pelo por posso qual quando que quem sao se sem ser seu sua sim tambem tem tenho um uma voce',
  italian:
    'ad agli ai al alla anche avere c che chi ci come con cosa da dal dalla degli dei del della di dove e ed essere fa fare gli ha hai hanno ho i il in io la le lei li lo loro ma mi mia mio ne nei nel nella non o perche piu posso puo quando quello questa questo se sei si sono su sul sulla ti tra tu tutti tutto un una uno vi voi',
  dutch:
    'aan al als bij dan dat de deze die dit doe door dus een en er geen graag had heb hebben heeft het hier hij hoe ik in is je jij jullie kan kun maar meer met mij mijn moet na naar niet nog nu of om ons ook op over te toch tot uit van veel voor waar was wat we wel werd wij wil worden zal ze zich zij zijn zo zou',
} as const;

export const STOP_WORDS: ReadonlySet<string> = new Set(
  Object.values(LISTS).flatMap((list) => list.split(' ')),
);
