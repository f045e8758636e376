/** The classes of a status page that its owner's style sheet can rely on, each with what it is, in the order of the page. */
export const pageClasses = [
  ["top", "The head, with the name and the links"],
  ["brand", "The name or the logo"],
  ["aside", "The links beside it"],
  ["button", "The button to subscribe"],
  ["banner", "The status of the whole page"],
  ["about", "The description"],
  ["card", "Each box: an incident, a group, a list of components"],
  ["incident", "A box of an incident or of maintenance"],
  ["steps", "The updates of an incident"],
  ["md", "The text of an update"],
  ["group", "A box of a group of components"],
  ["list", "The components of a box"],
  ["row", "A component"],
  ["name", "Its name"],
  ["state", "Its status in words"],
  ["bars", "Its uptime, a bar a day"],
  ["past", "The incidents of the last days"],
  ["foot", "The footer"],
  ["note", "Small print"]
] as const

/** Beside a banner, an incident or a state, by what is shown. */
export const stateClasses = [
  "s-operational",
  "s-degraded",
  "s-partial_outage",
  "s-major_outage",
  "s-maintenance",
  "s-unknown"
] as const
