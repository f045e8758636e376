/** Whether a reader wants the dashboard light, dark or as the system is. A cookie keeps it, so that no view flashes in the other. */

export const themes = ["system", "light", "dark"] as const
export type Theme = (typeof themes)[number]

/** The name of the cookie. It is not `httpOnly`: the switch also works in the browser, without another view. */
export const themeCookie = "belltower_theme"

/** How long a choice is kept, seconds. */
export const themeKeptSec = 365 * 86_400

export const themeNamed = (name: string | undefined): Theme => themes.find((theme) => theme === name) ?? "system"
