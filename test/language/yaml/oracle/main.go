// Prints what yaml.v3, the library of the original, makes of the first document of each text in the JSON list that standard
// input has: a line of JSON each, or `error`.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"gopkg.in/yaml.v3"
)

func main() {
	var texts []string
	if err := json.NewDecoder(os.Stdin).Decode(&texts); err != nil {
		panic(err)
	}
	for _, text := range texts {
		fmt.Println(meaning(text))
	}
}

func meaning(text string) string {
	var value interface{}
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		return "error"
	}
	// Fails for a map whose keys are not texts.
	encoded, err := json.Marshal(value)
	if err != nil {
		return "error"
	}
	return string(encoded)
}
