/** Files that only the user of the process may read (mode 0600). A crash leaves a complete file, the one before or none. */
import type { Cause } from "effect"
import { chown, link, open, rename, rm, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { makeFolder } from "./postgres/embedded/MakeFolder.ts"

/** Whether a call of the file system failed with this code, such as ENOENT. */
export const hasCode = (code: string) => ({ error }: Cause.UnknownException): boolean =>
  error instanceof Error && "code" in error && error.code === code

/** A name in a folder survives a power failure only after this. */
export const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, "r")
  await folder.sync().finally(() => folder.close())
}

/** Writes the text beside the file, then has `put` put it there. */
const writeBeside = async (path: string, text: string, put: (fresh: string) => Promise<void>): Promise<void> => {
  await makeFolder(dirname(path))
  const fresh = `${path}.new-${process.pid}`
  const file = await open(fresh, "w", 0o600)
  await file.writeFile(text)
  await file.sync()
  await file.close()
  await put(fresh).finally(() => rm(fresh, { force: true }))
  await syncFolder(dirname(path))
}

/** The owner of a file stays the same: a command of root must not take a server's file away. */
const keepOwner = async (path: string, fresh: string): Promise<void> => {
  const owner = await stat(path).catch(() => null)
  if (owner !== null) await chown(fresh, owner.uid, owner.gid)
}

export interface FileOwner {
  readonly uid: number
  readonly gid: number
}

/** Rejects with EEXIST if there is such a file: one that others rely on is never overwritten. `owner`: other than this process's user. */
export const createPrivateFile = (path: string, text: string, owner?: FileOwner): Promise<void> =>
  writeBeside(path, text, async (fresh) => {
    if (owner !== undefined) await chown(fresh, owner.uid, owner.gid)
    await link(fresh, path)
  })

export const replacePrivateFile = (path: string, text: string): Promise<void> =>
  writeBeside(path, text, (fresh) => keepOwner(path, fresh).then(() => rename(fresh, path)))
