import type { TemplatePage } from './outline.ts';

/** Templates with fixed pages, by id. */
export const PAGE_TEMPLATES: Readonly<Record<string, readonly TemplatePage[]>> = {
  blank: [],

  guide: [
    {
      title: 'Guide',
      icon: 'compass',
      description: 'What this guide is for, in one sentence.',
      content: {
        markdown: `Say who should read this, and what they will be able to do at the end.

## Before you start

* What must be installed or known
* What you need to have ready

## Steps

{% stepper %}
{% step %}
### First step

What to do, and how to see that it worked.
{% endstep %}

{% step %}
### Second step

What to do next.
{% endstep %}
{% endstepper %}

## When something goes wrong

| What you see | What to do |
| --- | --- |
| An error message | Its cause and how to fix it |

## Where to go from here

Links to what comes next.
`,
      },
    },
  ],

  changelog: [
    {
      title: 'Changelog',
      icon: 'clock-rotate-left',
      description: 'What changed, the newest first.',
      content: {
        markdown: `## Unreleased

### Added

* What is new

### Changed

* What works differently

### Fixed

* What was broken and now works

### Removed

* What was removed, and what to use instead
`,
      },
    },
  ],

  runbook: [
    {
      title: 'Runbook',
      icon: 'siren',
      description: 'What to do when an alert fires.',
      content: {
        markdown: `{% hint style="warning" %}
Who to notify, and how to reach them.
{% endhint %}

## What it looks like

The alert, and what users notice.

## How bad it is

Who is affected, and what happens if nobody acts.

## Find the cause

1. What to look at first
2. What to rule out

## Stop the damage

1. What to do at once, with the commands to run
2. How to see that it worked

## Put it right

* The permanent fix
* What to write down afterwards
`,
      },
    },
  ],
};
