/** Greek. */
import type { SubscriptionTexts } from "./SubscriptionTexts.ts"

export const el: SubscriptionTexts = {
  subscribe: "Εγγραφή",
  subscribeTo: (page) => `Λάβετε ενημερώσεις από ${page}`,
  email: "Διεύθυνση email",
  checkMail: "Ελέγξτε το email σας: ένας σύνδεσμος επιβεβαιώνει την εγγραφή.",
  mailCaptured:
    "Αυτή η σελίδα δεν μπορεί ακόμη να στείλει email, οπότε δεν στάλθηκε επιβεβαίωση. Ενημερώστε τον υπεύθυνο ή ακολουθήστε τη ροή.",
  confirmTitle: (page) => `Επιβεβαιώστε την εγγραφή σας στο ${page}`,
  confirmText: "Θα λαμβάνετε email για κάθε περιστατικό και συντήρηση.",
  confirm: "Επιβεβαίωση εγγραφής",
  confirmed: "Η εγγραφή σας επιβεβαιώθηκε.",
  ignore: "Αν δεν το ζητήσατε, αγνοήστε αυτό το email. Ο σύνδεσμος λήγει σε 24 ώρες.",
  manage: "Διαχείριση εγγραφής",
  unsubscribe: "Κατάργηση εγγραφής",
  unsubscribeFrom: (page) => `Κατάργηση εγγραφής από ${page};`,
  unsubscribed: "Η εγγραφή σας καταργήθηκε και δεν θα λαμβάνετε άλλα email.",
  why: (page) => `Λαμβάνετε αυτό το email επειδή εγγραφήκατε στο ${page}.`,
  invalidLink: "Ο σύνδεσμος δεν είναι έγκυρος ή έχει λήξει.",
  checkAddress: "Ελέγξτε τη διεύθυνση: λείπει ή δεν μπορεί να χρησιμοποιηθεί.",
  notTaken: "Αυτή η σελίδα δεν μπορεί να δεχτεί αυτή την εγγραφή προς το παρόν.",
  how: "Πώς θα σας ενημερώνουμε",
  byEmail: "Email",
  webhookUrl: "URL webhook",
  incomingWebhook: (service) => `Επικολλήστε το URL ενός εισερχόμενου webhook του ${service}.`,
  webhookHint: "Στέλνουμε μια πρόκληση στο URL, το οποίο πρέπει να την επαναλάβει.",
  components: "Υπηρεσίες",
  noneIsAll: "Μην επιλέξετε τίποτα για να ενημερώνεστε για όλα.",
  signingSecret: "Κλειδί υπογραφής. Εμφανίζεται μόνο μία φορά.",
  close: "Κλείσιμο",
  followFeed: "Ή ακολουθήστε τη ροή",
  save: "Αποθήκευση",
  saved: "Αποθηκεύτηκε.",
  viewPage: "Προβολή σελίδας κατάστασης"
}
