// Light and dark: the system's choice until the reader makes one.
type Name = "light" | "dark";
const KEY = "carom-theme";

function stored(): Name | null {
    try {
        const name = localStorage.getItem(KEY);
        return name === "light" || name === "dark" ? name : null;
    } catch {
        return null; // a page from a file may not have storage
    }
}

export class ThemeSwitch {
    private readonly system = window.matchMedia("(prefers-color-scheme: dark)");
    private chosen = stored();

    constructor(private readonly changed: () => void) {
        this.apply();
        this.system.addEventListener("change", () => {
            this.apply();
            this.changed();
        });
    }

    get name(): Name {
        return this.chosen ?? (this.system.matches ? "dark" : "light");
    }

    private apply(): void {
        document.documentElement.dataset.theme = this.name;
    }

    toggle(): void {
        this.chosen = this.name === "dark" ? "light" : "dark";
        try {
            localStorage.setItem(KEY, this.chosen);
        } catch {
            // not kept, still applied
        }
        this.apply();
        this.changed();
    }
}
