/** Files that only the user of the process may read (mode 0600). A crash leaves a complete file, the one before or none. */
import { link, open, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { makeFolder } from "./postgres/MakeFolder.ts"

/** Writes the text beside the file, then has `place` put it there. */
const writeBeside = async (path: string, text: string, place: (fresh: string) => Promise<void>): Promise<void> => {
  await makeFolder(dirname(path))
  const fresh = `${path}.new-${process.pid}`
  const file = await open(fresh, "w", 0o600)
  await file.writeFile(text)
  await file.sync()
  await file.close()
  await place(fresh).finally(() => rm(fresh, { force: true }))
}

/** Rejects with EEXIST if there is such a file: one that others rely on is never overwritten. */
export const createPrivateFile = (path: string, text: string): Promise<void> =>
  writeBeside(path, text, (fresh) => link(fresh, path))

export const replacePrivateFile = (path: string, text: string): Promise<void> =>
  writeBeside(path, text, (fresh) => rename(fresh, path))
