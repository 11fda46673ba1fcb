// golang.org/x/oauth2, unmodified: keys, secrets, exchange, and authorization code with PKCE. The parent is the browser: it reads the address
// and writes what the redirect carried.
package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

type order struct{ Issuer, Authority, ClientID, Secret, Key, Kid, Subject, CodeClientID, RedirectURI string }

type metadata struct {
	Token     string `json:"token_endpoint"`
	Authorize string `json:"authorization_endpoint"`
}

var asked order

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func say(line map[string]any) {
	fmt.Println(string(must(json.Marshal(line))))
}

func sayScope(how string, token *oauth2.Token) {
	say(map[string]any{"how": how, "scope": token.Extra("scope")})
}

func assertion() string {
	block, _ := pem.Decode(must(os.ReadFile(asked.Key)))
	key := must(x509.ParsePKCS8PrivateKey(block.Bytes)).(*ecdsa.PrivateKey)
	now := time.Now()
	unsigned := jwt.NewWithClaims(jwt.SigningMethodES256, jwt.MapClaims{
		"iss": asked.ClientID, "sub": asked.ClientID, "aud": asked.Issuer,
		"iat": now.Unix(), "exp": now.Add(time.Minute).Unix(), "jti": fmt.Sprint(now.UnixNano()),
	})
	unsigned.Header["kid"] = asked.Kid
	return must(unsigned.SignedString(key))
}

func main() {
	if err := json.Unmarshal([]byte(os.Getenv("ORDER")), &asked); err != nil {
		panic(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(must(os.ReadFile(asked.Authority)))
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, client)
	var server metadata
	found := must(client.Get(asked.Issuer + "/.well-known/oauth-authorization-server"))
	if err := json.NewDecoder(found.Body).Decode(&server); err != nil {
		panic(err)
	}
	machines(ctx, server)
	person(ctx, server)
}

func machines(ctx context.Context, server metadata) {
	exchange := url.Values{
		"grant_type":         {"urn:ietf:params:oauth:grant-type:token-exchange"},
		"subject_token":      {asked.Subject},
		"subject_token_type": {"urn:ietf:params:oauth:token-type:access_token"},
	}
	for _, way := range []struct {
		how, secret string
		style       oauth2.AuthStyle
	}{
		{"private_key_jwt", "", oauth2.AuthStyleInParams},
		{"client_secret_basic", asked.Secret, oauth2.AuthStyleInHeader},
		{"client_secret_post", asked.Secret, oauth2.AuthStyleInParams},
	} {
		for _, more := range []url.Values{{}, exchange} {
			params := url.Values{}
			for name, values := range more {
				params[name] = values
			}
			if way.secret == "" {
				params.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
				params.Set("client_assertion", assertion())
			}
			config := clientcredentials.Config{
				ClientID: asked.ClientID, ClientSecret: way.secret, TokenURL: server.Token, AuthStyle: way.style,
				Scopes: []string{"orders:read"}, EndpointParams: params,
			}
			how := way.how
			if len(more) > 0 {
				how = "exchange, " + how
			}
			sayScope(how, must(config.Token(ctx)))
		}
	}
}

func person(ctx context.Context, server metadata) {
	config := oauth2.Config{
		ClientID: asked.CodeClientID, RedirectURL: asked.RedirectURI, Scopes: []string{"orders:read"},
		Endpoint: oauth2.Endpoint{AuthURL: server.Authorize, TokenURL: server.Token},
	}
	verifier := oauth2.GenerateVerifier()
	say(map[string]any{"open": config.AuthCodeURL("a-state", oauth2.S256ChallengeOption(verifier))})
	answer := must(url.ParseQuery(strings.TrimSpace(must(bufio.NewReader(os.Stdin).ReadString('\n')))))
	token := must(config.Exchange(ctx, answer.Get("code"), oauth2.VerifierOption(verifier)))
	sayScope("code", token)
	token.Expiry = time.Now().Add(-time.Minute)
	sayScope("refresh", must(config.TokenSource(ctx, token).Token()))
}
