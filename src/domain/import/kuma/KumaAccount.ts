/** The data of an Uptime Kuma, from its backup or its database, by the names of the database. */
import { Either } from "effect"
import { gather } from "../../tools/Gather.ts"
import { flagAt, jsonAt, listOf, type Loose, recordOf, recordsOf, textAt } from "../Loose.ts"
import { isLogged, sqliteTables } from "./SqliteFile.ts"

type Ids = (row: Loose) => ReadonlyArray<string>

export interface KumaAccount {
  readonly monitors: ReadonlyArray<Loose>
  /** A monitor with the names of the database. */
  readonly named: (monitor: Loose) => Loose
  readonly notifications: ReadonlyArray<Loose>
  readonly pages: ReadonlyArray<Loose>
  readonly maintenance: ReadonlyArray<Loose>
  /** The ids of the monitors, or groups of them, that a maintenance is of. */
  readonly monitorsOf: Ids
  readonly pagesOf: Ids
  /** The time zone of the installation; null if the file does not name it. */
  readonly timezone: string | null
  /** On parts that may be missing in the file. */
  readonly warnings: ReadonlyArray<string>
  readonly domainsOf: Ids
  readonly notificationsOf: Ids
  readonly tagsOf: Ids
  /** The groups of a page, each with the ids of its monitors. */
  readonly groupsOf: (page: Loose) => ReadonlyArray<{ readonly name: string; readonly monitors: ReadonlyArray<string> }>
}

const tagName = (name: string | null, value: string | null): ReadonlyArray<string> =>
  name === null ? [] : [value === null ? name : `${name}:${value}`]

/** The JSON that Uptime Kuma 1 exports. It has no status pages. */
export const kumaBackup = (backup: Loose): KumaAccount => ({
  monitors: recordsOf(backup["monitorList"]),
  named: (monitor) => ({
    ...monitor,
    accepted_statuscodes_json: JSON.stringify(listOf(monitor["accepted_statuscodes"])),
    expiry_notification: monitor["expiryNotification"],
    upside_down: monitor["upsideDown"],
    auth_method: monitor["authMethod"],
    json_path: monitor["jsonPath"],
    expected_value: monitor["expectedValue"],
    invert_keyword: monitor["invertKeyword"]
  }),
  notifications: recordsOf(backup["notificationList"]),
  pages: [],
  maintenance: [],
  monitorsOf: () => [],
  pagesOf: () => [],
  timezone: null,
  warnings: ["The backup contains no status pages and no maintenance; the file kuma.db does"],
  domainsOf: () => [],
  notificationsOf: (monitor) =>
    Object.keys(recordOf(monitor["notificationIDList"])).filter((id) => flagAt(recordOf(monitor["notificationIDList"]), id)),
  tagsOf: (monitor) => recordsOf(monitor["tags"]).flatMap((tag) => tagName(textAt(tag, "name"), textAt(tag, "value"))),
  groupsOf: () => []
})

const tables = [
  "monitor",
  "notification",
  "monitor_notification",
  "tag",
  "monitor_tag",
  "status_page",
  "status_page_cname",
  "maintenance",
  "group",
  "monitor_group",
  "monitor_maintenance",
  "maintenance_status_page",
  "setting"
] as const

const grouped = (rows: ReadonlyArray<Loose>, by: string): ReadonlyMap<string, ReadonlyArray<Loose>> =>
  gather(rows.map((row) => [textAt(row, by) ?? "", row] as const))

const idOf = (row: Loose): string => textAt(row, "id") ?? ""

const byWeight = (rows: ReadonlyArray<Loose>): ReadonlyArray<Loose> =>
  [...rows].sort((one, other) => Number(one["weight"] ?? 0) - Number(other["weight"] ?? 0))

/** Settings are stored as JSON. */
const serverZone = (settings: ReadonlyArray<Loose>): string | null => {
  const setting = settings.find((one) => textAt(one, "key") === "serverTimezone")
  return setting === undefined ? null : textAt({ zone: jsonAt(setting, "value") }, "zone")
}

const unwritten =
  "Uptime Kuma writes its last changes to a file beside kuma.db. Stop it before you copy kuma.db, or they may be missing"

/** The file kuma.db, or why it cannot be read. */
export const kumaDatabase = (bytes: Buffer): Either.Either<KumaAccount, string> =>
  Either.map(sqliteTables(bytes, tables), (found) => {
    const rows = (name: (typeof tables)[number]): ReadonlyArray<Loose> => found.get(name) ?? []
    /** The values of a column in the rows of a table that belong to another row. */
    const idsIn = (table: (typeof tables)[number], by: string, column: string): Ids => {
      const found = grouped(rows(table), by)
      return (row) => (found.get(idOf(row)) ?? []).flatMap((one) => textAt(one, column) ?? [])
    }
    const tags = new Map(rows("tag").map((tag) => [textAt(tag, "id") ?? "", textAt(tag, "name")]))
    const tagged = grouped(rows("monitor_tag"), "monitor_id")
    const groups = grouped(rows("group"), "status_page_id")
    const shown = grouped(rows("monitor_group"), "group_id")
    return {
      monitors: rows("monitor"),
      named: (monitor) => monitor,
      notifications: rows("notification"),
      pages: rows("status_page"),
      maintenance: rows("maintenance"),
      monitorsOf: idsIn("monitor_maintenance", "maintenance_id", "monitor_id"),
      pagesOf: idsIn("maintenance_status_page", "maintenance_id", "status_page_id"),
      timezone: serverZone(rows("setting")),
      warnings: isLogged(bytes) ? [unwritten] : [],
      domainsOf: idsIn("status_page_cname", "status_page_id", "domain"),
      notificationsOf: idsIn("monitor_notification", "monitor_id", "notification_id"),
      tagsOf: (monitor) =>
        (tagged.get(idOf(monitor)) ?? []).flatMap((link) =>
          tagName(tags.get(textAt(link, "tag_id") ?? "") ?? null, textAt(link, "value"))
        ),
      groupsOf: (page) =>
        byWeight(groups.get(idOf(page)) ?? []).map((group) => ({
          name: textAt(group, "name") ?? "Services",
          monitors: byWeight(shown.get(idOf(group)) ?? []).flatMap((link) => textAt(link, "monitor_id") ?? [])
        }))
    }
  })
