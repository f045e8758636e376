/** The script that every view loads: live updates, times, copies, shortcuts, and the islands that a view holds. */
import { followCopies } from "./Copies.ts"
import { followForms } from "./Forms.ts"
import { mountIslands } from "./Islands.ts"
import { followSearches } from "./lists/AsYouType.ts"
import { followEvents } from "./Live.ts"
import { followMenus } from "./Menus.ts"
import { followShortcuts } from "./Shortcuts.ts"
import { followThemes } from "./Themes.ts"
import { followTimes, tellZone } from "./Times.ts"

// The answer to a form that is done takes the address of its view, which live updates and a reload then read.
const address = document.getElementById("content")?.dataset["address"]
if (address !== undefined) history.replaceState(null, "", address)
tellZone()
followTimes()
// Before the forms, which show that they are under way unless somebody else took the submission.
followThemes()
followForms()
followSearches()
followCopies()
followShortcuts()
followMenus()
followEvents()
mountIslands(document)
document.querySelector<HTMLElement>("[data-focus]")?.focus()
