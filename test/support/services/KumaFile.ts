/** Databases of an Uptime Kuma, as SQLite wrote them, in pages of 1 KiB. */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"

const fileOf = (name: string): Buffer => gunzipSync(readFileSync(new URL(`../files/${name}`, import.meta.url)))

/** 67 monitors, two notifications and a status page. */
export const kumaFile = fileOf("kuma.db.gz")

/** Maintenance of every strategy on two status pages. */
export const kumaMaintenanceFile = fileOf("kuma-maintenance.db.gz")
