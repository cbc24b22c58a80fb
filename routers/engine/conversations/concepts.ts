import { stemOf } from './stems.ts';

/**
 * Concepts that are common in requests for help, with their words: synonyms and translations into German, French and Spanish,
 * without accents and in their base forms. So different words for the same thing are compared as equal. Words that are
 * specific to one product do not belong here: they are compared as they are.
 */
const CONCEPTS: Readonly<Record<string, string>> = {
  login:
    'login logon signin einloggen anmelden anmeldung anmelde eingeloggt connexion connecter sesion acceder logging logged',
  password: 'password passcode pin passwort kennwort passwd contrasena',
  code: 'code codes otp totp sms 2fa mfa authenticator twofactor factor einmalcode verificacion',
  identity:
    'identity identification identify id ident passport passports ausweis reisepass personalausweis identitat identidad pasaporte passeport selfie kyc licence license fuhrerschein verifizierung verify verification document documents dokument dokumente',
  account: 'account accounts konto konten profile profil compte cuenta perfil',
  register: 'register registration signup onboarding registrieren registrierung inscription registro',
  card: 'card cards karte karten kreditkarte debit carte tarjeta kartenzahlung',
  block:
    'block blocked locked lock frozen freeze unfreeze unblock unlock suspended disabled gesperrt sperren entsperren freischalten sperre declined decline refused abgelehnt bloqueado bloquee',
  transfer:
    'transfer transfers transferred wire sepa iban uberweisung uberweisungen uberwiesen virement transferencia recipient empfanger payee sent',
  pending: 'pending processing stuck queued waiting hangt bearbeitung attente pendiente delayed',
  fee: 'fee fees gebuhr gebuhren frais comision markup surcharge',
  abroad:
    'abroad foreign overseas international ausland auslands auslandisch travel travelling trip holiday urlaub reise etranger extranjero viaje',
  currency:
    'currency currencies exchange wahrung wechselkurs kurs dollar dollars pounds devise divisa conversion',
  cash: 'cash atm withdraw withdrawal withdrawals withdrawing abheben bargeld geldautomat geldautomaten efectivo retrait',
  invoice:
    'invoice invoices rechnung rechnungen facture facturas factura receipt receipts beleg quittung recibo bill',
  charge: 'billed charged abgebucht abbuchung belastet debited cobrado preleve',
  payment:
    'payment payments pay paying paid paypal klarna stripe zahlung zahlen bezahlen bezahlt paiement pago pagar',
  refund:
    'refund refunds refunded refunding chargeback reimburse reimbursement erstattung erstatten erstatte ruckerstattung teilerstattung remboursement rembourser reembolso',
  tax: 'tax taxes vat mwst steuer steuern umsatzsteuer mehrwertsteuer steuersatz taxable tva iva impuesto',
  price: 'price prices pricing preis preise kosten prix precio cost costs expensive teuer',
  discount: 'discount coupon voucher promo rabatt gutschein remise descuento cupon',
  order:
    'order orders ordered bestellung bestellungen bestellt commande pedido checkout cart warenkorb kasse',
  delivery:
    'delivery deliver delivered shipping shipment shipped parcel package lieferung versand paket geliefert livraison colis envio entrega courier tracking',
  return: 'return returned returns rucksendung retoure zuruckgeschickt retour devolucion',
  product:
    'product products artikel produkt produkte catalogue catalog item items produit producto sku variants stock lager inventory',
  subscription: 'subscription subscriptions subscribe abo abonnement suscripcion renewal renew plan',
  cancel:
    'cancel cancelled canceled cancelling cancellation unsubscribe terminate kundigen kundigung gekundigt beenden resilier annuler annulation cancelar baja',
  trial: 'trial probe probezeit essai prueba',
  premium: 'premium upgrade upgraded bezahlversion',
  advertising:
    'ad ads advert adverts advertising advertisement advertisements commercial commercials werbung werbefrei werbe anzeige anzeigen publicite pub anuncio anuncios publicidad banner',
  family:
    'family families familie familien familienabo daughter son wife husband kid kids child children sister brother dad mother tochter sohn kind kinder famille familia mitglied mitglieder member members',
  invite:
    'invite invites invitation invitations invited einladung eingeladen einladen join beitreten invitacion inviter',
  permission:
    'permission permissions role roles access rights berechtigung rechte zugriff rolle droits permiso',
  offline: 'offline flugzeug flight airplane plane',
  download:
    'download downloads downloaded downloading redownload heruntergeladen herunterladen telecharger telechargement descargar descarga',
  upload: 'upload uploads uploaded uploading hochladen hochgeladen televerser subir',
  import:
    'import imports imported importing importer importieren csv spreadsheet excel xlsx importar columns column spalte spalten rows header template',
  export: 'export exports exported exporting exportieren exporter exportar',
  backup: 'backup backups restore sicherung wiederherstellen sauvegarde respaldo',
  battery:
    'battery batteries akku batterie bateria charger charging recharge drain drains drained laden ladt ladekabel lade aufladen power',
  sync: 'sync syncs synced syncing synchronise synchronize synchronisation synchronization synchronisierung synchronisieren sincronizar',
  connect:
    'bluetooth pair pairing paired unpair connect connected connection disconnect disconnected kopplung koppeln verbinden verbindet verbunden verbindung connexion conectar conexion',
  heart: 'heart heartrate pulse pulses bpm ecg hr puls herz herzfrequenz pulsmessung coeur ritmo',
  sensor: 'sensor sensors measure measures measurement readings messung messen misst capteur medir',
  strap:
    'strap straps band bands wristband wrist bracelet armband correa clasp buckle verschluss leather silicone',
  skin: 'skin itchy rash allergy allergic hypoallergenic haut hautausschlag ausschlag allergie piel peau nickel',
  broken: 'broke broken torn snapped cracked crack kaputt gerissen cassee roto defekt defective',
  warranty: 'warranty guarantee garantie garantia replacement replace ersatz reemplazo',
  notification:
    'notification notifications notify notified notifies alert alerts push reminder reminders benachrichtigung benachrichtigungen whatsapp notificacion vibrate vibrates vibration vibriert buzzes mute message messages nachricht nachrichten',
  call: 'call calls calling anruf anrufe appel llamada ringtone',
  email: 'email emails mail mails newsletter smtp inbox spam correo courriel',
  playback:
    'play plays playing player playback pause pauses song songs track tracks music musik lied lieder titel wiedergabe abspielen shuffle skip skipping gapless album albums playlist playlists musique chanson musica cancion',
  sound:
    'sound audio volume ton laut lautstarke stuttering headphones kopfhorer ruckelt stottert buffering quality cuts son sonido ecouteurs',
  video: 'video videos film films movie stream streaming subtitles untertitel pelicula',
  podcast: 'podcast podcasts episode episodes',
  domain: 'domain domains dns cname nameserver nameservers subdomain registrar dominio domaine',
  certificate: 'ssl tls https certificate certificates zertifikat certificat certificado',
  website: 'website site page homepage webseite seite pagina',
  webhook: 'webhook webhooks callback payload',
  api: 'api apis endpoint endpoints graphql sdk sandbox',
  token: 'token tokens apikey key keys schlussel secret signature signatur credential credentials',
  limit: 'limit limits limited quota throttle throttled 429 limite',
  integration: 'integration integrations plugin plugins connector zapier erp integrieren',
  error: 'error errors exception fehler erreur bug bugs fehlermeldung',
  crash: 'crash crashes crashed crashing absturz sturzt abgesturzt plante',
  slow: 'slow slowly lag lags laggy timeout latency langsam lent lento performance',
  search: 'search searching find filter suche suchen recherche buscar',
  delete: 'delete deleted deleting remove removed loschen geloscht entfernen supprimer eliminar borrar',
  photo: 'photo photos picture pictures image images bild bilder foto fotos imagen camera kamera',
  print: 'print printer printing drucken drucker imprimer imprimir pdf',
  language: 'language languages sprache ubersetzung translation langue idioma',
  privacy: 'privacy gdpr dsgvo datenschutz personal consent confidentialite privacidad',
  address: 'address addresses adresse adressen anschrift direccion moved umzug',
  date: 'calendar appointment appointments kalender termin termine booking reservation buchung rendezvous cita reserva',
  report: 'report reports statistic statistics dashboard analytics bericht statistik rapport informe',
  map: 'map maps gps location navigation route standort ubicacion',
  wifi: 'wifi wlan network router internet netzwerk netz reseau red',
  update: 'firmware update updated updates aktualisierung actualizacion',
};

/** Concepts by word. */
const BY_WORD: ReadonlyMap<string, string> = new Map(
  Object.entries(CONCEPTS).flatMap(([concept, words]) =>
    words.split(' ').map((word) => [word, concept] as const),
  ),
);

/** Minimum length of a stem that is looked up: shorter ones are shared by too many unrelated words. */
const MIN_STEM = 5;

/** Stems of words with quite different meanings: batteries are charged, and so are customers. */
const AMBIGUOUS: readonly string[] = ['charg'];

const BY_STEM: ReadonlyMap<string, string> = new Map(
  [...BY_WORD]
    .map(([word, concept]) => [stemOf(word), concept] as const)
    .filter(([stem]) => stem.length >= MIN_STEM && !AMBIGUOUS.includes(stem)),
);

/** Minimum length of a word that is matched with a letter added or missing: too many shorter words differ by one letter. */
const MIN_CORRECTED = 6;

/** Concepts by the words without one of their letters, other than the first. */
const BY_SHORTENED: ReadonlyMap<string, string> = new Map(
  [...BY_WORD].flatMap(([word, concept]) =>
    word.length < MIN_CORRECTED ? [] : [...withoutOneLetter(word)].map((short) => [short, concept] as const),
  ),
);

function* withoutOneLetter(word: string): Generator<string> {
  for (let place = 1; place < word.length; place++) yield word.slice(0, place) + word.slice(place + 1);
}

/** Minimum lengths of a compound word, and of its parts. */
const MIN_COMPOUND = 8;
const MIN_COMPOUND_PART = 4;

/** Whether a keyword is a concept rather than a word. */
export const isConcept = (keyword: string): boolean => Object.hasOwn(CONCEPTS, keyword);

/**
 * The concepts of a lower-case word without accents: its own, those of its parts, or that of the word it may be a
 * misspelling of.
 */
export function conceptsOf(word: string): string[] {
  const own = BY_WORD.get(word) ?? BY_STEM.get(stemOf(word));
  if (own !== undefined) return [own];
  const parts = word.length >= MIN_COMPOUND ? compoundParts(word) : [];
  if (parts.length > 0) return parts;
  const meant = conceptOfMisspelling(word);
  return meant === undefined ? [] : [meant];
}

/** The concepts of the longest words that a compound starts and ends with. */
function compoundParts(word: string): string[] {
  const found = new Set<string>();
  for (let end = word.length - 1; end >= MIN_COMPOUND_PART; end--) {
    const first = BY_WORD.get(word.slice(0, end));
    if (first === undefined) continue;
    found.add(first);
    break;
  }
  for (let start = 1; start <= word.length - MIN_COMPOUND_PART; start++) {
    const last = BY_WORD.get(word.slice(start));
    if (last === undefined) continue;
    found.add(last);
    break;
  }
  return [...found];
}

/** The concept of a word with one letter missing or added. */
function conceptOfMisspelling(word: string): string | undefined {
  const tooShort = word.length >= MIN_CORRECTED - 1 ? BY_SHORTENED.get(word) : undefined;
  if (tooShort !== undefined || word.length <= MIN_CORRECTED) return tooShort;
  for (const short of withoutOneLetter(word)) {
    const meant = BY_WORD.get(short);
    if (meant !== undefined) return meant;
  }
  return undefined;
}
