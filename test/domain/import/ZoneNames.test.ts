import { describe, expect, it } from "@effect/vitest"
import { DateTime, Option } from "effect"
import { makeNotes } from "../../../src/domain/import/Carry.ts"
import { pageZone, zoneNamed } from "../../../src/domain/import/ZoneNames.ts"

/** Every name that Rails shows in its lists of time zones. */
const rails = [
  "International Date Line West, Midway Island, American Samoa, Hawaii, Alaska, Pacific Time (US & Canada), Tijuana",
  "Mountain Time (US & Canada), Arizona, Chihuahua, Mazatlan, Central Time (US & Canada), Saskatchewan, Guadalajara",
  "Mexico City, Monterrey, Central America, Eastern Time (US & Canada), Indiana (East), Bogota, Lima, Quito",
  "Atlantic Time (Canada), Caracas, La Paz, Santiago, Asuncion, Newfoundland, Brasilia, Buenos Aires, Montevideo",
  "Georgetown, Puerto Rico, Greenland, Mid-Atlantic, Azores, Cape Verde Is., Dublin, Edinburgh, Lisbon, London",
  "Casablanca, Monrovia, UTC, Belgrade, Bratislava, Budapest, Ljubljana, Prague, Sarajevo, Skopje, Warsaw, Zagreb",
  "Brussels, Copenhagen, Madrid, Paris, Amsterdam, Berlin, Bern, Zurich, Rome, Stockholm, Vienna, West Central Africa",
  "Bucharest, Cairo, Helsinki, Kyiv, Riga, Sofia, Tallinn, Vilnius, Athens, Istanbul, Minsk, Jerusalem, Harare, Pretoria",
  "Kaliningrad, Moscow, St. Petersburg, Volgograd, Samara, Kuwait, Riyadh, Nairobi, Baghdad, Tehran, Abu Dhabi, Muscat",
  "Baku, Tbilisi, Yerevan, Kabul, Ekaterinburg, Islamabad, Karachi, Tashkent, Chennai, Kolkata, Mumbai, New Delhi",
  "Kathmandu, Astana, Dhaka, Sri Jayawardenepura, Almaty, Novosibirsk, Rangoon, Bangkok, Hanoi, Jakarta, Krasnoyarsk",
  "Beijing, Chongqing, Hong Kong, Urumqi, Kuala Lumpur, Singapore, Taipei, Perth, Irkutsk, Ulaanbaatar, Seoul, Osaka",
  "Sapporo, Tokyo, Yakutsk, Darwin, Adelaide, Canberra, Melbourne, Sydney, Brisbane, Hobart, Vladivostok, Guam",
  "Port Moresby, Magadan, Srednekolymsk, Solomon Is., New Caledonia, Fiji, Kamchatka, Marshall Is., Auckland, Wellington",
  "Nuku'alofa, Tokelau Is., Chatham Is., Samoa"
].flatMap((line) => line.split(", "))

describe("the time zone of a source", () => {
  it("is found by every name of Rails, also as its lists show it", () => {
    expect(rails.length).toBeGreaterThan(150)
    for (const name of rails) {
      const zone = zoneNamed(name)
      expect([name, zone !== null && Option.isSome(DateTime.zoneMakeNamed(zone))]).toEqual([name, true])
      expect([name, zoneNamed(`(GMT+01:00) ${name}`), zoneNamed(` ${name.toUpperCase()} `)]).toEqual([name, zone, zone])
    }
  })

  it("is found by the names of Windows, which Outlook's calendars have", () => {
    const names: Readonly<Record<string, string>> = {
      "W. Europe Standard Time": "Europe/Berlin",
      "GMT Standard Time": "Europe/London",
      "Eastern Standard Time": "America/New_York",
      "Central America Standard Time": "America/Guatemala",
      "India Standard Time": "Asia/Calcutta",
      "UTC-02": "Etc/GMT+2",
      "Customized Time Zone": "none"
    }
    const zones = Object.entries(names).map(([name, zone]) => [name, zone, zoneNamed(name) ?? "none"] as const)
    for (const [name, zone, found] of zones) expect([name, found]).toEqual([name, zone])
  })

  it("is the one that the name means", () => {
    const july = DateTime.unsafeMake("2026-07-01T12:00:00Z")
    const hours = (name: string) => DateTime.zonedOffset(DateTime.unsafeSetZoneNamed(july, zoneNamed(name) ?? "UTC")) / 3_600_000
    const expected: Readonly<Record<string, number>> = {
      Berlin: 2,
      Kyiv: 3,
      Istanbul: 3,
      Samoa: 13,
      "American Samoa": -11,
      "International Date Line West": -12,
      Arizona: -7,
      "Eastern Time (US & Canada)": -4,
      "Indiana (East)": -4,
      Newfoundland: -2.5,
      Georgetown: -4,
      Kathmandu: 5.75,
      "Chatham Is.": 12.75,
      "Europe/Berlin": 2,
      "europe/berlin": 2,
      "US/Pacific": -7,
      "Asia/Calcutta": 5.5,
      GMT: 0,
      "UTC+2": 2,
      "GMT-05:00": -5,
      "+14": 14
    }
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, hours(name)]))).toEqual(expected)
  })

  it("is that of the workspace, with a note, where the text names none", () => {
    for (const text of ["Atlantis", "", "UTC+25", "x".repeat(10_000), "constructor", "../etc"]) {
      const notes = makeNotes()
      expect([text, pageZone(notes, text), notes.all.length]).toEqual([text, null, 1])
    }
    expect(pageZone(makeNotes(), null)).toBeNull()
  })
})
