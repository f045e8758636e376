/** The choice between light, dark and the system's mode. It works without a script; with one, without another view. */
import { useVisit } from "../frame/Visit.ts"
import { themes } from "../Theme.ts"
import { inWords } from "./Parts.tsx"

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
