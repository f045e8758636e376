/** Time zones as others name them: by the names of Rails and Windows, by IANA's, present and former, and by their distance from UTC. */
import { DateTime, Option } from "effect"
import { findIana } from "windows-iana"
import type { Notes } from "./Carry.ts"
import { entryOf } from "./Loose.ts"

/**
 * The names of Rails (ActiveSupport::TimeZone::MAPPING) that are no city of the IANA database, or another one there. In lower case.
 */
const named: Readonly<Record<string, string>> = {
  "international date line west": "Etc/GMT+12",
  "midway island": "Pacific/Midway",
  "american samoa": "Pacific/Pago_Pago",
  hawaii: "Pacific/Honolulu",
  alaska: "America/Juneau",
  "pacific time (us & canada)": "America/Los_Angeles",
  "mountain time (us & canada)": "America/Denver",
  arizona: "America/Phoenix",
  "central time (us & canada)": "America/Chicago",
  saskatchewan: "America/Regina",
  guadalajara: "America/Mexico_City",
  "central america": "America/Guatemala",
  "eastern time (us & canada)": "America/New_York",
  "indiana (east)": "America/Indiana/Indianapolis",
  quito: "America/Lima",
  "atlantic time (canada)": "America/Halifax",
  newfoundland: "America/St_Johns",
  brasilia: "America/Sao_Paulo",
  "buenos aires": "America/Argentina/Buenos_Aires",
  georgetown: "America/Guyana",
  greenland: "America/Nuuk",
  "mid-atlantic": "Atlantic/South_Georgia",
  "cape verde is.": "Atlantic/Cape_Verde",
  edinburgh: "Europe/London",
  bern: "Europe/Zurich",
  "west central africa": "Africa/Algiers",
  pretoria: "Africa/Johannesburg",
  "st. petersburg": "Europe/Moscow",
  "abu dhabi": "Asia/Muscat",
  ekaterinburg: "Asia/Yekaterinburg",
  islamabad: "Asia/Karachi",
  chennai: "Asia/Kolkata",
  mumbai: "Asia/Kolkata",
  "new delhi": "Asia/Kolkata",
  astana: "Asia/Almaty",
  "sri jayawardenepura": "Asia/Colombo",
  hanoi: "Asia/Bangkok",
  beijing: "Asia/Shanghai",
  osaka: "Asia/Tokyo",
  sapporo: "Asia/Tokyo",
  canberra: "Australia/Melbourne",
  "solomon is.": "Pacific/Guadalcanal",
  "new caledonia": "Pacific/Noumea",
  "marshall is.": "Pacific/Majuro",
  wellington: "Pacific/Auckland",
  "nuku'alofa": "Pacific/Tongatapu",
  "tokelau is.": "Pacific/Fakaofo",
  "chatham is.": "Pacific/Chatham",
  samoa: "Pacific/Apia"
}

/** The areas of the IANA database. Europe is first: Istanbul is in two. */
const areas = ["Europe", "America", "Asia", "Africa", "Australia", "Pacific", "Atlantic", "Indian"]

const known = (name: string): string | null => Option.getOrNull(Option.map(DateTime.zoneMakeNamed(name), ({ id }) => id))

/** IANA's zones of whole hours count westwards. */
const atDistance = (text: string): string | null => {
  const [, sign, hours] = /^(?:utc|gmt)?\s*([+-])0?(\d|1[0-4])(?::?00)?$/i.exec(text) ?? []
  return hours === undefined ? null : known(hours === "0" ? "UTC" : `Etc/GMT${sign === "+" ? "-" : "+"}${hours}`)
}

/** The IANA name of a time zone; null for a text that names none. `(GMT+01:00) Berlin` is how Rails shows one. */
export const zoneNamed = (text: string): string | null => {
  const name = text.trim().replace(/^\((?:gmt|utc)[^)]{0,8}\)\s*/i, "")
  const own = entryOf(named, name.toLowerCase())
  if (own !== undefined) return own
  if (!/^[\w+:/. -]{1,60}$/.test(name)) return null
  const city = name.replaceAll(" ", "_")
  const [ofWindows = ""] = findIana(name)
  return atDistance(name) ?? known(city) ?? areas.map((area) => known(`${area}/${city}`)).find((zone) => zone !== null) ??
    known(ofWindows)
}

/** The zone of a page; without one it has the workspace's. */
export const pageZone = (notes: Notes, text: string | null): { readonly timezone: string } | null => {
  const timezone = text === null ? null : zoneNamed(text)
  if (text !== null && timezone === null) {
    notes.say(`Its time zone "${text.slice(0, 60)}" is not known; the page has that of the workspace`)
  }
  return timezone === null ? null : { timezone }
}
