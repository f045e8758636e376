/** Greek. */
import type { Words } from "./Words.ts"

export const el: Words = {
  component: {
    operational: "Σε λειτουργία",
    degraded: "Υποβαθμισμένη",
    partial_outage: "Μερική διακοπή",
    major_outage: "Σοβαρή διακοπή",
    maintenance: "Συντήρηση",
    unknown: "Χωρίς δεδομένα"
  },
  page: {
    operational: "Όλα τα συστήματα λειτουργούν",
    degraded: "Μειωμένη απόδοση",
    partial_outage: "Μερική διακοπή",
    major_outage: "Σοβαρή διακοπή",
    maintenance: "Συντήρηση σε εξέλιξη",
    unknown: "Αναμονή για δεδομένα"
  },
  progress: {
    investigating: "Υπό διερεύνηση",
    identified: "Η αιτία εντοπίστηκε",
    monitoring: "Υπό παρακολούθηση",
    resolved: "Επιλύθηκε",
    scheduled: "Προγραμματισμένη",
    in_progress: "Σε εξέλιξη",
    completed: "Ολοκληρώθηκε"
  },
  isDown: (names) => `${names}: εκτός λειτουργίας`,
  investigating: (names) => `Διερευνούμε ένα πρόβλημα: ${names}.`,
  affectedToo: (name) => `Επηρεάζεται επίσης: ${name}.`,
  recovered: (names, duration) => `${names}: αποκατάσταση μετά από ${duration}.`,
  recoveredAlone: (name) => `${name}: λειτουργεί ξανά· το συμβάν συνεχίζεται.`,
  maintenanceStarted: "Η συντήρηση ξεκίνησε.",
  maintenanceCompleted: "Η συντήρηση ολοκληρώθηκε.",
  skipToContent: "Μετάβαση στο περιεχόμενο",
  updated: (time) => `Ενημερώθηκε ${time}`,
  outOfDate: "Ίσως δεν είναι ενημερωμένο: τα νεότερα δεδομένα δεν μπορούν να διαβαστούν αυτή τη στιγμή.",
  noComponents: "Δεν εμφανίζεται τίποτα εδώ ακόμη.",
  services: "Υπηρεσίες",
  activeIncidents: "Ενεργά συμβάντα",
  plannedMaintenance: "Προγραμματισμένη συντήρηση",
  affects: (components) => `Επηρεάζει: ${components}`,
  pastIncidents: "Προηγούμενα συμβάντα",
  noIncidents: (days) => `Κανένα συμβάν τις τελευταίες ${days} ημέρες.`,
  resolvedAfter: (duration) => `Επιλύθηκε μετά από ${duration}`,
  uptime: (percent) => `${percent} διαθεσιμότητα`,
  uptimeHistory: "Ιστορικό διαθεσιμότητας",
  lastDays: (days) => `Τελευταίες ${days} ημέρες`,
  today: "Σήμερα",
  noData: "Χωρίς δεδομένα",
  downFor: (duration) => `εκτός λειτουργίας για ${duration}`,
  daysWithProblems: (days) => `Ημέρες με προβλήματα: ${days}`,
  support: "Υποστήριξη",
  poweredBy: "Με την υποστήριξη του",
  notFoundTitle: "Δεν υπάρχει τίποτα εδώ",
  notFoundText: "Δεν υπάρχει σελίδα κατάστασης σε αυτή τη διεύθυνση.",
  unavailableTitle: "Επιστρέφουμε αμέσως",
  unavailableText: "Η κατάσταση δεν μπορεί να διαβαστεί τώρα. Δοκιμάστε ξανά σε λίγα δευτερόλεπτα."
}
