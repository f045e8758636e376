/** The choice between light, dark and the system's mode. It works without a script; with one, without another view. */
import { inWords } from "../design/Parts.tsx"
import { themes } from "../Theme.ts"
import { useVisit } from "./Visit.ts"

export const ThemeSwitch = () => {
  const { theme, url } = useVisit()
  return (
    <form method="post" action="/app/theme" data-themes>
      <input type="hidden" name="next" value={url} />
      <div class="themes" role="group" aria-label="Theme">
        {themes.map((name) => (
          <button class="plain tight" name="theme" value={name} aria-pressed={name === theme}>{inWords(name)}</button>
        ))}
      </div>
    </form>
  )
}
