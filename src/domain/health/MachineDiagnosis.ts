/** The meaning of what a machine has left: room on a disk, open files. */
import { failed, fine, type Seen, warning } from "./Diagnosis.ts"

export interface DiskSpace {
  readonly freeBytes: number
  readonly allBytes: number
  readonly freeFiles: number
  readonly allFiles: number
}

const megabyte = 2 ** 20
const littleBytes = 1024 * megabyte
const leastBytes = 100 * megabyte
const littleShare = 0.05

const room = (bytes: number): string =>
  bytes < 10 * 1024 * megabyte ? `${Math.round(bytes / megabyte)} MB` : `${Math.round(bytes / 1024 / megabyte)} GB`

/** File systems without a table of files say 0 of 0. */
export const diskSeen = (folder: string, { allBytes, allFiles, freeBytes, freeFiles }: DiskSpace): Seen => {
  const found = `${folder} is writable, with ${room(freeBytes)} of ${room(allBytes)} free`
  const advice = "Free space, or move BELLTOWER_DATA_DIR: a full disk stops the database and loses what is written to it."
  if (freeBytes < leastBytes || (allFiles > 0 && freeFiles === 0)) return failed(found, advice)
  return freeBytes < littleBytes || freeBytes < allBytes * littleShare || (allFiles > 0 && freeFiles < allFiles * littleShare)
    ? warning(found, advice)
    : fine(found)
}

const fewFiles = 4096

/** `limit`: open files that the process may have; Infinity is no limit. `wanted`: what its settings let it open. */
export const filesSeen = (limit: number, wanted: number): Seen => {
  const needed = Math.max(fewFiles, wanted)
  const found = `The process may open ${limit === Infinity ? "any number of" : limit} files and connections`
  return limit >= needed
    ? fine(found)
    : warning(
      found,
      `Allow ${needed} (ulimit -n, LimitNOFILE of systemd): without them, checks and requests are refused under load.`
    )
}

/** The number in a line of /proc/self/limits; null if there is none. */
export const filesLimitIn = (limits: string): number | null => {
  const [, hard] = /^Max open files +\S+ +(\S+)/m.exec(limits) ?? []
  return hard === undefined ? null : hard === "unlimited" ? Infinity : Number(hard)
}
