/** Makes a folder with its parents, and always comes to an end. */
import { mkdir, stat } from "node:fs/promises"
import { dirname } from "node:path"

const codeOf = (error: unknown): unknown => error instanceof Error && "code" in error ? error.code : undefined

/**
 * Like `mkdir` with `recursive`, which in Node 20 never returns where a file system takes no folders and says that
 * something is missing, such as `/proc`. Rejects with the error of the first step that failed.
 */
export const makeFolder = async (path: string): Promise<void> => {
  const made = async (error: unknown): Promise<boolean> => codeOf(error) === "EEXIST" && (await stat(path)).isDirectory()
  const reject = async (error: unknown): Promise<void> => (await made(error)) ? undefined : Promise.reject(error)
  await mkdir(path).catch(async (error) => {
    const parent = dirname(path)
    if (codeOf(error) !== "ENOENT" || parent === path) return reject(error)
    await makeFolder(parent)
    await mkdir(path).catch(reject)
  })
}
