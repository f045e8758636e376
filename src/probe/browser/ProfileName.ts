/** The names of the profile folders of browsers. */

/** A profile is named after its worker's process, so that another one sees whether anybody still uses it. */
export const profilePrefix = (pid: number): string => `belltower-browser-${pid}-`

/** The process in the name of a profile folder; null for any other folder. */
export const workerOf = (name: string): number | null => {
  const pid = /^belltower-browser-(\d+)-/.exec(name)?.[1]
  return pid === undefined ? null : Number(pid)
}
