// Runs before the page is painted, so that a chosen theme does not flash in late.
import { rememberedTheme } from './theme.ts';

document.documentElement.dataset['theme'] = rememberedTheme();
